import { factsOf } from '../../domain/agenda-facts/agenda-facts.ts';
import { kindOfRow } from '../../domain/agenda/kinds.ts';
import { classifyItem, isFormality } from '../../src/classifier/classify-item.ts';
import type { CompiledTopics } from '../../src/classifier/keywords.ts';
import { proposedAction } from '../../src/classifier/proposed-action.ts';
import { standingOf } from '../../src/classifier/stage/item-standing.ts';
import { proceduralContext } from '../../src/classifier/stage/procedure.ts';
import { businessImpactOf } from '../../src/classifier/texts/business-impact.ts';
import { summaryOf } from '../../src/classifier/texts/summary.ts';
import { isItem, topicTexts, type TrainedTopics } from '../../src/classifier/topic-hits.ts';
import type { LabelledTitle } from './corpus.ts';
import { subjectOfTitle } from './subject-of-title.ts';
import { readTextsOf } from './topic-training.ts';

type Kind = LabelledTitle['kind'];

/** Kinds of labels by kinds of rows. The label `substantive` is our kind `item`; `boilerplate` is no record. */
const LABEL_OF = {
  item: 'substantive',
  procedural: 'procedural',
  heading: 'heading',
  group: 'heading',
  layout: 'boilerplate',
  notice: 'boilerplate',
} as const;

/** Result of one labeled title. */
export interface Prediction {
  readonly id: string;
  readonly kind: Kind;
  readonly topics: readonly { readonly topic: string; readonly confidence: number; readonly evidenceQuote: string }[];
  readonly stage: string;
  readonly facts: ReturnType<typeof factsOf>;
  readonly summary: string;
  readonly businessImpact: string;
}

function kindOf(title: LabelledTitle, topics: CompiledTopics, trained: TrainedTopics): Kind {
  const subject = subjectOfTitle(title);
  const row = { ...subject.item, hasAttachments: false, hasVotes: false };
  const kind = LABEL_OF[kindOfRow(row)];
  if (kind !== 'substantive') return kind;
  const isMatter = !isFormality(subject.item) && isItem(topicTexts(readTextsOf(title), topics), trained);
  return isMatter ? 'substantive' : 'procedural';
}

/** Returns what the classifier reads in a title with these models. */
export function predictionOf(title: LabelledTitle, topics: CompiledTopics, trained: TrainedTopics): Prediction {
  const subject = subjectOfTitle(title);
  const slugs = new Map(topics.topics.map(({ id, slug }) => [id, slug]));
  const facts = factsOf({ title: title.title, text: title.text });
  const standing = standingOf(subject);
  const proposed = proposedAction(subject.item);
  const { proceduralStage } = proceduralContext(subject, standing, proposed);
  const whole = [...facts.parties, ...facts.amounts, ...facts.places].map(({ sourceText }) => sourceText);
  return {
    id: title.id,
    kind: kindOf(title, topics, trained),
    topics: classifyItem(subject, topics, trained)
      .map(({ content: { topicId, confidence, evidenceQuote } }) => ({
        topic: slugs.get(topicId)!,
        confidence,
        evidenceQuote,
      }))
      .toSorted((left, right) => right.confidence - left.confidence),
    stage: proceduralStage,
    facts,
    summary: summaryOf(subject, { proposed, standing, stage: proceduralStage, whole }),
    businessImpact: businessImpactOf(facts, subject, standing),
  };
}
