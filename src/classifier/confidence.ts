import type { Occurrence } from './find-phrases.ts';

/** Confidence from which a topic makes a hit. */
export const HIT_FROM = 65;
/** A phrase that begins within this many UTF-16 code units stands in the opening of a title or text. */
export const OPENING_LENGTH = 240;

const IN_TITLE = 45;
const IN_TEXT = 35;
const SEVERAL_WORDS = 15;
const IN_OPENING = 20;
const EACH_FURTHER = 5;
const FURTHER_AT_MOST = 15;
const MATTER_TYPE = 10;
const MATTER_TYPE_ALONE = 70;
export const HIGHEST = 95;

export interface TopicEvidence {
  readonly inTitle: readonly Occurrence[];
  readonly inText: readonly Occurrence[];
  /** Whether the matter type contains a phrase of the topic (`mentions`) or equals one (`names`). */
  readonly matterType: 'silent' | 'mentions' | 'names';
}

/** The points of one occurrence: by its place, by several words, and by standing in the opening. */
export const worth = (occurrence: Occurrence, place: 'title' | 'text'): number =>
  (place === 'title' ? IN_TITLE : IN_TEXT) +
  (occurrence.phrase.length > 1 ? SEVERAL_WORDS : 0) +
  (occurrence.start < OPENING_LENGTH ? IN_OPENING : 0);

/** Without occurrences inside a longer one: the same words count once. */
const widest = (occurrences: readonly Occurrence[]): Occurrence[] =>
  occurrences.filter(
    (inner) =>
      !occurrences.some(
        (outer) => outer !== inner && outer.start <= inner.start && inner.end <= outer.end && outer.phrase.length > inner.phrase.length,
      ),
  );

/**
 * The confidence of a topic, 0 to 95: the points of its best occurrence, 5 for each further distinct phrase (a repetition counts as one) up
 * to 15, and 10 if the matter type mentions it; 70 if only the matter type names it (docs/classification.md).
 */
export function confidenceOf({ inTitle, inText, matterType }: TopicEvidence): number {
  const best = Math.max(...inTitle.map((found) => worth(found, 'title')), ...inText.map((found) => worth(found, 'text')), 0);
  if (best === 0) return matterType === 'names' ? MATTER_TYPE_ALONE : 0;
  const all = [...widest(inTitle), ...widest(inText)].map((found) => found.phrase.form);
  const distinct = new Set(all).size;
  const further = Math.min(FURTHER_AT_MOST, (distinct - 1 + (all.length > distinct ? 1 : 0)) * EACH_FURTHER);
  return Math.min(HIGHEST, best + further + (matterType === 'silent' ? 0 : MATTER_TYPE));
}
