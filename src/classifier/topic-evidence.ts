import type { RecordData } from '../../domain/records/resources.ts';
import type { CompiledTopics } from './compile-topics.ts';
import type { TopicEvidence } from './confidence.ts';
import { findPhrases, type Occurrence } from './find-phrases.ts';

const overlap = (left: Occurrence, right: Occurrence): boolean => left.start < right.end && right.start < left.end;

interface Counted {
  readonly kept: readonly Occurrence[];
  /** A negative phrase that stands apart from every keyword. */
  readonly refused: boolean;
}

/** A negative phrase takes the keywords that it overlaps out of the count; one that overlaps none refuses the topic. */
function count(own: readonly Occurrence[]): Counted {
  const negatives = own.filter(({ phrase }) => phrase.negative);
  const keywords = own.filter(({ phrase }) => !phrase.negative);
  return {
    kept: keywords.filter((keyword) => !negatives.some((negative) => overlap(keyword, negative))),
    refused: negatives.some((negative) => !keywords.some((keyword) => overlap(keyword, negative))),
  };
}

function typeEvidence(matterType: string, own: readonly Occurrence[]): TopicEvidence['matterType'] {
  const keywords = own.filter(({ phrase }) => !phrase.negative);
  if (keywords.length === 0 || keywords.length < own.length) return 'silent';
  return keywords.some(({ start, end }) => start === 0 && end === matterType.length) ? 'names' : 'mentions';
}

/** The evidence for each topic that has any, by topic; `title` and `text` without their asides. */
export function topicEvidence(
  title: string,
  text: string,
  matterType: string,
  topics: CompiledTopics,
): ReadonlyMap<RecordData<'topics'>, TopicEvidence> {
  const inTitle = Map.groupBy(findPhrases(title, topics), ({ phrase }) => phrase.topic);
  const inText = Map.groupBy(findPhrases(text, topics), ({ phrase }) => phrase.topic);
  const inType = Map.groupBy(findPhrases(matterType, topics), ({ phrase }) => phrase.topic);
  const evidence = new Map<RecordData<'topics'>, TopicEvidence>();
  for (const topic of topics.topics) {
    const titled = count(inTitle.get(topic) ?? []);
    const texted = count(inText.get(topic) ?? []);
    if (titled.refused || texted.refused) continue;
    const stated = typeEvidence(matterType, inType.get(topic) ?? []);
    if (titled.kept.length + texted.kept.length === 0 && stated !== 'names') continue;
    evidence.set(topic, { inTitle: titled.kept, inText: texted.kept, matterType: stated });
  }
  return evidence;
}
