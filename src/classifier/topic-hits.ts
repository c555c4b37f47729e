import { operativeProposal, operativeText, withoutParties } from './operative-text.ts';
import type { CompiledTopics, Occurrence } from './phrases.ts';
import { confidenceOf, HIT_FROM, topicEvidence, type TopicEvidence, worth } from './topic-evidence.ts';

type Topic = CompiledTopics['topics'][number];

/** A topic of an item, with the words that weighed most: offsets in UTF-16 code units of the title or the text. */
export interface TopicHit {
  readonly topic: Topic;
  readonly confidence: number;
  readonly field: 'title' | 'text';
  readonly start: number;
  readonly end: number;
}

/** Texts of an item in which topics and facts are read. */
export interface ReadTexts {
  readonly title: string;
  /** The text of the item; without one, the action that the source proposes. */
  readonly text: string | null;
  readonly isProposed: boolean;
  readonly matterType: string;
}

const best = (occurrences: readonly Occurrence[], field: TopicHit['field']): Occurrence | undefined =>
  occurrences.toSorted(
    (left, right) => worth(right, field) - worth(left, field) || left.start - right.start || right.end - left.end,
  )[0];

/** Returns the strongest phrase. The title wins a tie with the text. */
function spanOf({ inTitle, inText }: TopicEvidence): Pick<TopicHit, 'field' | 'start' | 'end'> {
  const [titled, texted] = [best(inTitle, 'title'), best(inText, 'text')];
  const isInText = texted !== undefined && (titled === undefined || worth(titled, 'title') < worth(texted, 'text'));
  const { start, end } = (isInText ? texted : titled) ?? { start: 0, end: 1 };
  return { field: isInText ? 'text' : 'title', start, end };
}

/** Returns the topics of an item, ordered by id. */
export function topicHits({ title, text, isProposed, matterType }: ReadTexts, topics: CompiledTopics): TopicHit[] {
  const operative = isProposed ? operativeProposal(text ?? '') : operativeText(text ?? '');
  const evidence = topicEvidence(withoutParties(operativeText(title)), withoutParties(operative), matterType, topics);
  return [...evidence]
    .map(([topic, found]) => ({ topic, confidence: confidenceOf(found), ...spanOf(found) }))
    .filter(({ confidence }) => confidence >= HIT_FROM);
}
