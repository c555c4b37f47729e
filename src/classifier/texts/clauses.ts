import { anyWord } from '../../../domain/text/patterns.ts';
import { isAbbreviation, type Span } from './sentences.ts';

/**
 * A place where a text can end. `rank`: 0 behind a sentence or a semicolon, 1 behind a comma, 2 before a preposition, 3
 * between the halves of "from … to".
 */
export interface Break {
  readonly at: number;
  readonly rank: number;
}

const BEHIND = String.raw`;\s+|\.\s+(?=\p{Lu})|(?<!\s)\s+[-–—]\s+(?!\d)`;
const COMMA = String.raw`,\s+(?!\d|(?:Inc|LLC|L\.|LP|LLP|PLLC|Ltd|Jr|Sr|Co|dba|d/b/a)\b)|(?<!\s)\s+(?=\()`;
const PREPOSITIONS = anyWord(`
  for to with on from through including located between subject in at by pursuant regarding concerning authorizing approving amending
`);
const BREAK = new RegExp(String.raw`(${BEHIND})|(${COMMA})|(?<!\s)\s+(?=${PREPOSITIONS}\s)`, 'giu');
/** The first half of "up to", and of "from … to" and "between … and". */
const OPEN_WORDS = anyWord(
  'up not due pursuant subject according relat(?:ed|ing) prior amendments? property properties located',
);
const OPEN = new RegExp(String.raw`(?:\b${OPEN_WORDS}|\d[%’'”]?)$`, 'i');
const OPEN_PAIR = /\b(?:from|between)\b(?:(?! (?:to|and|through) )[^;]){0,90}$/i;
const SECOND_HALF = /^\s*(?:to|through|and|in|at|from|on|near|located)\b/i;
/** A further amount belongs to the words before it: "with City Funds in the amount of". */
const FURTHER_AMOUNT = /^\s*in (?:the|an) amount\b/i;
/** The unit of the number before it: "$290 for each new job". */
const UNIT = /^\s*(?:for|in|to|on) (?:each|every|any)\b/i;

/** Lengths before a place within which a parenthesis or a first half opens, in UTF-16 code units. */
const REACH = 400;
const PAIR = 100;

/** Returns true for a place inside of parentheses or quotation marks. */
const isInside = (before: string): boolean =>
  before.lastIndexOf('(') > before.lastIndexOf(')') || before.lastIndexOf('“') > before.lastIndexOf('”');

function rankOf(text: string, { index, 0: mark, 1: behind, 2: comma }: RegExpExecArray): number | null {
  const before = text.slice(Math.max(0, index - REACH), index);
  if (isInside(before)) return null;
  if (behind !== undefined) return mark.startsWith('.') && isAbbreviation(text, index, index + mark.length) ? null : 0;
  const next = text.slice(index, index + 30);
  if (OPEN_PAIR.test(before.slice(-PAIR)) && (comma !== undefined || SECOND_HALF.test(next))) return 3;
  if (comma !== undefined) return 1;
  if (FURTHER_AMOUNT.test(next) && before.includes('$')) return null;
  return (SECOND_HALF.test(next) && OPEN.test(before.slice(-PAIR))) || UNIT.test(next) ? null : 2;
}

/** Returns the places where a text can be cut: between clauses, and inside of none of the `whole` spans. */
export function breaksOf(text: string, whole: readonly Span[] = []): Break[] {
  return [...text.matchAll(BREAK)].flatMap((match) => {
    const rank = rankOf(text, match);
    const at = match.index + match[0].length;
    const isWithin = whole.some(({ start, end }) => start < at && at < end);
    return rank === null || isWithin ? [] : [{ at, rank }];
  });
}
