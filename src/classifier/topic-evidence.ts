import { GENERIC_PHRASES } from './generic-phrases.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { type CompiledTopics, findPhrases, type Occurrence } from './phrases.ts';

const overlap = (left: Occurrence, right: Occurrence): boolean => left.start < right.end && right.start < left.end;

/**
 * Evidence of a negative phrase: the keywords that it overlaps do not count. If it overlaps none, it is evidence against
 * the topic.
 */
function count(own: readonly Occurrence[]) {
  const negatives = own.filter(({ phrase }) => phrase.negative);
  const keywords = own.filter(({ phrase }) => !phrase.negative);
  return {
    kept: keywords.filter((keyword) => !negatives.some((negative) => overlap(keyword, negative))),
    opposed: negatives.some((negative) => !keywords.some((keyword) => overlap(keyword, negative))),
  };
}

function typeEvidence(matterType: string, own: readonly Occurrence[]): TopicEvidence['matterType'] {
  const keywords = own.filter(({ phrase }) => !phrase.negative);
  if (keywords.length === 0 || keywords.length < own.length) return 'silent';
  return keywords.some(({ start, end }) => start === 0 && end === matterType.length) ? 'names' : 'mentions';
}

/** Returns the evidence by topic, for each topic that has any. `title` and `text` exclude their asides. */
export function topicEvidence(title: string, text: string, matterType: string, topics: CompiledTopics) {
  const inTitle = Map.groupBy(findPhrases(title, topics), ({ phrase }) => phrase.topic);
  const inText = Map.groupBy(findPhrases(text, topics), ({ phrase }) => phrase.topic);
  const inType = Map.groupBy(findPhrases(matterType, topics), ({ phrase }) => phrase.topic);
  const evidence = new Map<RecordData<'topics'>, TopicEvidence>();
  for (const topic of topics.topics) {
    const titled = count(inTitle.get(topic) ?? []);
    const texted = count(inText.get(topic) ?? []);
    const byType = typeEvidence(matterType, inType.get(topic) ?? []);
    if (titled.kept.length + texted.kept.length === 0 && byType !== 'names') continue;
    evidence.set(topic, {
      inTitle: titled.kept,
      inText: texted.kept,
      matterType: byType,
      opposed: titled.opposed || texted.opposed,
    });
  }
  return evidence;
}

export const HIT_FROM = 65;
/** Length of the opening of a title or text, in UTF-16 code units. */
const OPENING_LENGTH = 240;
const IN_TITLE = 45;
const IN_TEXT = 35;
const SEVERAL_WORDS = 15;
const IN_OPENING = 20;
/** A specific phrase of several words names the subject anywhere. A single word names it in the opening only. */
const SPECIFIC_FURTHER_ON = 15;
const EACH_FURTHER = 5;
const FURTHER_AT_MOST = 15;
const MATTER_TYPE = 10;
const MATTER_TYPE_ALONE = 70;
const HIGHEST = 95;
const OPPOSED = 20;

export interface TopicEvidence {
  readonly inTitle: readonly Occurrence[];
  readonly inText: readonly Occurrence[];
  /** The matter type contains a phrase of the topic (`mentions`) or equals one (`names`). */
  readonly matterType: 'silent' | 'mentions' | 'names';
  /** True if a negative phrase of the topic overlaps none of its keywords. */
  readonly opposed: boolean;
}

/** Returns true for a generic phrase outside of the opening, which does not name the subject. */
const isInPassing = ({ phrase, start }: Occurrence): boolean =>
  start >= OPENING_LENGTH && GENERIC_PHRASES.has(phrase.form);

export function worth({ phrase, start }: Occurrence, place: 'title' | 'text'): number {
  const severalWords = phrase.length > 1 ? SEVERAL_WORDS : 0;
  const isSpecific = phrase.length > 1 && !GENERIC_PHRASES.has(phrase.form);
  const standing = start < OPENING_LENGTH ? IN_OPENING : isSpecific ? SPECIFIC_FURTHER_ON : 0;
  return (place === 'title' ? IN_TITLE : IN_TEXT) + severalWords + standing;
}

/** Removes occurrences inside a longer one, so that the same words count once. */
const widest = (occurrences: readonly Occurrence[]): Occurrence[] =>
  occurrences.filter(
    (inner) =>
      !occurrences.some(
        (outer) =>
          outer !== inner &&
          outer.start <= inner.start &&
          inner.end <= outer.end &&
          outer.phrase.length > inner.phrase.length,
      ),
  );

/** 0 to 95 (docs/developers/classification.md). A repetition counts as one further phrase. */
export function confidenceOf({ inTitle, inText, matterType, opposed }: TopicEvidence): number {
  const best = Math.max(
    ...inTitle.map((found) => worth(found, 'title')),
    ...inText.map((found) => worth(found, 'text')),
    0,
  );
  const against = opposed ? OPPOSED : 0;
  if (best === 0) return matterType === 'names' ? MATTER_TYPE_ALONE - against : 0;
  const all = [...widest(inTitle), ...widest(inText)]
    .filter((found) => !isInPassing(found))
    .map((found) => found.phrase.form);
  const distinct = new Set(all).size;
  const further = Math.min(FURTHER_AT_MOST, Math.max(0, distinct - 1 + (all.length > distinct ? 1 : 0)) * EACH_FURTHER);
  return Math.min(HIGHEST, best + further + (matterType === 'silent' ? 0 : MATTER_TYPE) - against);
}
