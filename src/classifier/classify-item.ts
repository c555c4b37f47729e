import { factsOf } from '../../domain/agenda-facts/agenda-facts.ts';
import { isGroupTitle, isHeadingTitle } from '../../domain/agenda/heading.ts';
import { derivedId } from '../../domain/identifiers.ts';
import type { ClassificationSubject, ClassifiedHit, Classifier } from '../../domain/ports/classifier.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { plainSubject } from './bounded-subject.ts';
import { CLASSIFIER, FORMER_NAMES } from './classifier-names.ts';
import { type CompiledTopics, compileTopics } from './keywords.ts';
import { proposedAction } from './proposed-action.ts';
import { standingOf } from './stage/item-standing.ts';
import { proceduralContext } from './stage/procedure.ts';
import { affectedLocation } from './texts/affected-location.ts';
import { businessImpactOf } from './texts/business-impact.ts';
import { evidenceQuote } from './texts/evidence-quote.ts';
import { summaryOf } from './texts/summary.ts';
import { SHIPPED, topicHits, type TrainedTopics } from './topic-hits.ts';

/** Returns the id of the hit of an item on a topic, the same in every deployment. */
export const hitId = (agendaItemId: string, topicId: string): string => derivedId('agenda_hit', agendaItemId, topicId);

/**
 * True if no topic can be about the item. A title that could head a group is a heading only if it has no number, file or
 * text.
 */
export const isFormality = ({ title, agendaNumber, matterFile, text }: RecordData<'agenda_items'>): boolean =>
  isHeadingTitle(title) || (agendaNumber === null && matterFile === null && text === null && isGroupTitle(title));

/** Returns the fields that all hits of an item share. */
function sharedContent(subject: ClassificationSubject, texts: { title: string; text: string | null }) {
  const { item } = subject;
  const facts = factsOf(texts);
  const standing = standingOf(subject);
  const proposed = proposedAction(item);
  const context = proceduralContext(subject, standing, proposed);
  const whole = [...facts.parties, ...facts.amounts, ...facts.places].map(({ sourceText }) => sourceText);
  return {
    summary: summaryOf(subject, { proposed, standing, stage: context.proceduralStage, whole }),
    businessImpact: businessImpactOf(facts, subject, standing),
    affectedLocation: affectedLocation(facts),
    proceduralContext: context,
  };
}

/**
 * Returns the hits of an item, ordered by topic id; none for a formality. A topic needs a confidence of 65 or more
 * (docs/developers/classification.md).
 */
export function classifyItem(
  whole: ClassificationSubject,
  topics: CompiledTopics,
  trained: TrainedTopics = SHIPPED,
): ClassifiedHit[] {
  const subject = plainSubject(whole);
  const { item } = subject;
  if (isFormality(item)) return [];
  const proposed = item.text === null ? proposedAction(item) : null;
  const texts = { title: item.title, text: item.text ?? (proposed === null ? null : item.actionText) };
  const matter = {
    ...texts,
    matterType: item.matterType ?? '',
    bodyName: subject.body.name,
  };
  const hits = topicHits(matter, topics, trained);
  if (hits.length === 0) return [];
  const shared = sharedContent(subject, texts);
  return hits.map(({ topic, confidence, field, start, end }) => ({
    id: hitId(item.id, topic.id),
    content: {
      agendaItemId: item.id,
      topicId: topic.id,
      ...shared,
      evidenceQuote: evidenceQuote(texts[field] ?? item.title, { start, end }),
      confidence,
      classifier: CLASSIFIER,
    },
  }));
}

/**
 * The shipped classifier. Topics are compiled once per array: pass the same array while they are unchanged.
 */
export function topicClassifier(): Classifier {
  const compiled = new WeakMap<readonly RecordData<'topics'>[], CompiledTopics>();
  return {
    name: CLASSIFIER,
    formerNames: FORMER_NAMES,
    classify: async (subject, topics) => {
      const ready = compiled.get(topics) ?? compileTopics(topics);
      compiled.set(topics, ready);
      return classifyItem(subject, ready);
    },
  };
}
