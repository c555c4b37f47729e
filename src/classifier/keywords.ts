import type { RecordData } from '../../domain/records/resources.ts';
import { type Word, wordsOf } from './topics/words.ts';

type Topic = RecordData<'topics'>;

/** A keyword or negative keyword of a topic as stems of its words. */
interface Keyword {
  readonly topic: Topic;
  readonly stems: readonly string[];
  readonly isNegative: boolean;
}

/** The topics that are active for classification, with their keywords by first word. */
export interface CompiledTopics {
  readonly topics: readonly Topic[];
  readonly keywords: ReadonlyMap<string, readonly Keyword[]>;
}

/** Words of a text. Unlike in models, a number is itself: "I-35" is no "I-20". */
const keywordWords = (text: string): Word[] =>
  wordsOf(text).map((word) => {
    const written = text.slice(word.start, word.end);
    return /^\d/.test(written) ? { ...word, stem: written } : word;
  });

const stemsOf = (text: string): string[] => keywordWords(text).map(({ stem }) => stem);

/** Compiles the active topics, ordered by id: the order in which they come changes nothing. */
export function compileTopics(topics: readonly Topic[]): CompiledTopics {
  const active = topics
    .filter(({ classificationActive }) => classificationActive)
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const keywords = active
    .flatMap((topic) => [
      ...topic.keywords.map((phrase) => ({ topic, stems: stemsOf(phrase), isNegative: false })),
      ...topic.negativeKeywords.map((phrase) => ({ topic, stems: stemsOf(phrase), isNegative: true })),
    ])
    .filter(({ stems }) => stems.length > 0);
  return { topics: active, keywords: Map.groupBy(keywords, ({ stems }) => stems[0]!) };
}

interface Occurrence extends Keyword {
  readonly start: number;
  readonly end: number;
}

/** Matches the text between two words of one phrase. */
const JOINT = /^(?:\s*|\s*&\s*|[-‐‑/'’.])$/;

/** Returns the keywords of a text: whole words, also in the plural. Punctuation ends a phrase. */
function occurrencesOf(text: string, keywords: CompiledTopics['keywords']): Occurrence[] {
  const words = keywordWords(text);
  return words.flatMap(({ stem, start }, from) =>
    (keywords.get(stem) ?? []).flatMap((keyword) => {
      const last = words[from + keyword.stems.length - 1];
      const isFound =
        last !== undefined &&
        keyword.stems.every((own, at) => {
          const [before, word] = [words[from + at - 1], words[from + at]!];
          return own === word.stem && (at === 0 || JOINT.test(text.slice(before!.end, word.start)));
        });
      return isFound ? [{ ...keyword, start, end: last.end }] : [];
    }),
  );
}

/** Offsets of the strongest keyword of a topic. */
export interface KeywordSpan {
  readonly field: 'title' | 'text';
  readonly start: number;
  readonly end: number;
}
export interface KeywordEvidence {
  readonly confidence: number;
  /** Null if only the type of the matter names the topic. */
  readonly span: KeywordSpan | null;
}

/** Length of the opening of a title or text, in UTF-16 code units. */
const OPENING_LENGTH = 240;
const POINTS = { title: 45, text: 35, severalWords: 15, named: 20, further: 5, type: 10 } as const;
const FURTHER_AT_MOST = 3;
const TYPE_ALONE = 70;
const OPPOSED = 20;
const HIGHEST = 95;

interface Found extends Occurrence {
  readonly field: KeywordSpan['field'];
}

/** A single word outside of the opening might be one of a list, or the location of something. */
function worth({ field, stems, start }: Found): number {
  const isNamed = stems.length > 1 || start < OPENING_LENGTH;
  return POINTS[field] + (stems.length > 1 ? POINTS.severalWords : 0) + (isNamed ? POINTS.named : 0);
}

const overlap = (left: Found, right: Found): boolean =>
  left.field === right.field && left.start < right.end && right.start < left.end;

/** Returns the evidence of one topic: a negative keyword removes those that it overlaps, or else opposes the topic. */
function evidenceOf(all: readonly Found[], types: readonly Occurrence[], typeWords: number): KeywordEvidence | null {
  const [negatives, keywords] = [all.filter(({ isNegative }) => isNegative), all.filter((one) => !one.isNegative)];
  const decisive = keywords.filter((keyword) => !negatives.some((negative) => overlap(keyword, negative)));
  const isOpposed = negatives.some((negative) => !keywords.some((keyword) => overlap(keyword, negative)));
  const against = isOpposed ? OPPOSED : 0;
  const isTyped = types.length > 0 && types.every(({ isNegative }) => !isNegative);
  const best = decisive.toSorted((left, right) => worth(right) - worth(left) || left.start - right.start)[0];
  if (best === undefined) {
    const isNamed = isTyped && types.some(({ stems }) => stems.length === typeWords);
    return isNamed ? { confidence: TYPE_ALONE - against, span: null } : null;
  }
  const distinct = new Set(decisive.map(({ stems }) => stems.join(' '))).size;
  const further = Math.min(FURTHER_AT_MOST, distinct - 1) * POINTS.further;
  const confidence = Math.min(HIGHEST, worth(best) + further + (isTyped ? POINTS.type : 0) - against);
  return { confidence, span: { field: best.field, start: best.start, end: best.end } };
}

/** Returns the evidence of keywords by topic, with a confidence from 0 to 95 (docs/developers/classification.md). */
export function keywordEvidence(
  texts: Readonly<Record<'title' | 'text' | 'matterType', string>>,
  { topics, keywords }: CompiledTopics,
): ReadonlyMap<Topic, KeywordEvidence> {
  const occurrences = (['title', 'text'] as const).flatMap((field) =>
    occurrencesOf(texts[field], keywords).map((occurrence): Found => ({ ...occurrence, field })),
  );
  const byTopic = Map.groupBy(occurrences, ({ topic }) => topic);
  const typesByTopic = Map.groupBy(occurrencesOf(texts.matterType, keywords), ({ topic }) => topic);
  const typeWords = keywordWords(texts.matterType).length;
  return new Map(
    topics.flatMap((topic) => {
      const evidence = evidenceOf(byTopic.get(topic) ?? [], typesByTopic.get(topic) ?? [], typeWords);
      return evidence === null ? [] : [[topic, evidence] as const];
    }),
  );
}
