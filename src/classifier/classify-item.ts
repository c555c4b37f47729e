import { plainSubject } from './bounded-subject.ts';
import { derivedId } from '../../domain/identifiers.ts';
import type { ClassificationSubject, ClassifiedHit, Classifier } from '../../domain/ports/classifier.ts';
import { FORMER_NAMES, PHRASE_CLASSIFIER } from './classifier-names.ts';
import { businessImpactOf, summaryOf } from './hit-texts.ts';
import { type CompiledTopics, compileTopics, type Occurrence } from './phrases.ts';
import { confidenceOf, HIT_FROM, topicEvidence, type TopicEvidence, worth } from './topic-evidence.ts';
import { evidenceQuote } from './evidence-quote.ts';
import { statedFacts } from './stated-facts.ts';
import { isFormality, operativeProposal, operativeText, withoutParties } from './operative-text.ts';
import { affectedLocation } from './locations/affected-location.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { standingOf, standingSentence } from './item-standing.ts';
import { proceduralContext } from './procedure.ts';
import { furtherName, itemSubject, proposedAction, statedAction } from './subject-sentence.ts';

/** The action that the source proposes, for an item without a text of its own. */
const proposal = ({ actionText }: ClassificationSubject['item']): string | null =>
  proposedAction({ actionText }) === null ? null : actionText;

/** Returns the id of the hit of an item on a topic, the same in every deployment. */
export const hitId = (agendaItemId: string, topicId: string): string => derivedId('agenda_hit', agendaItemId, topicId);

const best = (occurrences: readonly Occurrence[], place: 'title' | 'text'): Occurrence | undefined =>
  occurrences.toSorted(
    (left, right) => worth(right, place) - worth(left, place) || left.start - right.start || right.end - left.end,
  )[0];

/** Returns the sentence with the topic's strongest phrase. The title wins a tie with the text. */
function quoteOf(item: { readonly title: string; readonly text: string | null }, evidence: TopicEvidence): string {
  const titled = best(evidence.inTitle, 'title');
  const texted = best(evidence.inText, 'text');
  if (texted === undefined || item.text === null) return evidenceQuote(item.title, titled ?? { start: 0, end: 1 });
  if (titled !== undefined && worth(titled, 'title') >= worth(texted, 'text')) return evidenceQuote(item.title, titled);
  return evidenceQuote(item.text, texted);
}

/**
 * Returns the hits of an item, ordered by topic id; none for a formality. A topic needs a confidence of 65 or more
 * (docs/developers/classification.md).
 */
export function classifyItem(whole: ClassificationSubject, topics: CompiledTopics): ClassifiedHit[] {
  const subject = plainSubject(whole);
  const { item } = subject;
  if (isFormality(item)) return [];
  const title = operativeText(item.title);
  const proposed = item.text === null ? proposal(item) : null;
  const own = item.text ?? proposed;
  const text = proposed === null ? operativeText(own ?? '') : operativeProposal(proposed);
  const relevant = [...topicEvidence(withoutParties(title), withoutParties(text), item.matterType ?? '', topics)]
    .map(([topic, evidence]) => ({ topic, evidence, confidence: confidenceOf(evidence) }))
    .filter(({ confidence }) => confidence >= HIT_FROM);
  if (relevant.length === 0) return [];

  const facts = statedFacts(subject, {
    title,
    text: proposed === null ? text : '',
    proposed: operativeText(statedAction(item) ?? ''),
  });
  const location = affectedLocation([title, text]);
  const standing = standingOf(subject);
  const context = proceduralContext(subject, standing);
  const about = itemSubject(item, title);
  const texts = {
    subject: about,
    name: furtherName(item, about),
    standing: standingSentence(subject, standing, context.proceduralStage),
  };
  const summary = summaryOf(texts, facts, location.locations);
  const businessImpact = businessImpactOf(facts, context, standing);
  return relevant.map(({ topic, evidence, confidence }) => ({
    id: hitId(item.id, topic.id),
    content: {
      agendaItemId: item.id,
      topicId: topic.id,
      summary,
      businessImpact,
      evidenceQuote: quoteOf({ title: item.title, text: own }, evidence),
      confidence,
      affectedLocation: location,
      proceduralContext: context,
      classifier: PHRASE_CLASSIFIER,
    },
  }));
}

/**
 * The shipped classifier: whole-word phrases. Topics are compiled once per array: pass the same array while they are
 * unchanged.
 */
export function phraseClassifier(): Classifier {
  const compiled = new WeakMap<readonly RecordData<'topics'>[], CompiledTopics>();
  return {
    name: PHRASE_CLASSIFIER,
    formerNames: FORMER_NAMES,
    classify: async (subject, topics) => {
      const ready = compiled.get(topics) ?? compileTopics(topics);
      compiled.set(topics, ready);
      return classifyItem(subject, ready);
    },
  };
}
