import { type TypedWord, wordAt } from './typed-words.ts';

/** Whole dollars; null without a bound. */
export interface AmountRange {
  readonly least: number | null;
  readonly most: number | null;
}

const MORE = ['above', 'over', 'exceeding', 'more than', 'greater than', 'larger than', 'at least', 'not less than'];
const LESS = ['below', 'under', 'less than', 'smaller than', 'at most', 'up to', 'not more than', 'no more than'];
const SCALES: ReadonlyMap<string, number> = new Map([
  ['k', 1e3],
  ['thousand', 1e3],
  ['m', 1e6],
  ['mm', 1e6],
  ['million', 1e6],
  ['b', 1e9],
  ['bn', 1e9],
  ['billion', 1e9],
]);
const NUMBER = /^(\$?)(\d{1,12}(?:,\d{3}){0,4}(?:\.\d{1,2})?)(k|mm?|bn?)?$/;
export const LARGEST_AMOUNT = 1e15;

interface Reading<Value> {
  readonly value: Value;
  /** Index of the word after it. */
  readonly end: number;
}

/** Reads "$1 million", "$1,500,000", "$50k" or "200 thousand dollars"; a number without a dollar is no amount. */
function amountAt(words: readonly TypedWord[], at: number): Reading<number> | null {
  const [, sign, digits, suffix = ''] = NUMBER.exec(wordAt(words, at)) ?? [];
  if (digits === undefined) return null;
  const scale = suffix === '' ? SCALES.get(wordAt(words, at + 1)) : undefined;
  const afterScale = at + (scale === undefined ? 1 : 2);
  const hasUnit = ['dollars', 'dollar', 'usd'].includes(wordAt(words, afterScale));
  if (sign === '' && !hasUnit) return null;
  const value = Number(digits.replaceAll(',', '')) * (scale ?? SCALES.get(suffix) ?? 1);
  return value > LARGEST_AMOUNT ? null : { value: Math.floor(value), end: afterScale + (hasUnit ? 1 : 0) };
}

/** Index after a phrase of a list that begins at `at`; -1 if none does. */
function afterPhrase(words: readonly TypedWord[], at: number, phrases: readonly string[]): number {
  for (const phrase of phrases) {
    const parts = phrase.split(' ');
    if (parts.every((part, index) => wordAt(words, at + index) === part)) return at + parts.length;
  }
  return -1;
}

/** Reads "above $1 million", "between $10,000 and $20,000" or "$1 million or more" at a word of the query. */
export function amountRangeAt(words: readonly TypedWord[], at: number): Reading<AmountRange> | null {
  const [more, less] = [afterPhrase(words, at, MORE), afterPhrase(words, at, LESS)];
  const bounded = amountAt(words, Math.max(more, less));
  if (bounded !== null && Math.max(more, less) > 0) {
    const { value, end } = bounded;
    return { value: more > 0 ? { least: value, most: null } : { least: null, most: value }, end };
  }
  const opening = ['between', 'from'].indexOf(wordAt(words, at));
  const first = amountAt(words, opening < 0 ? at : at + 1);
  if (first === null) return null;
  if (opening >= 0) {
    const second = ['and', 'to'].includes(wordAt(words, first.end)) ? amountAt(words, first.end + 1) : null;
    return second === null ? null : { value: { least: first.value, most: second.value }, end: second.end };
  }
  if (wordAt(words, first.end) !== 'or') return null;
  const side = wordAt(words, first.end + 1);
  if (side === 'more' || side === 'above') return { value: { least: first.value, most: null }, end: first.end + 2 };
  if (side === 'less' || side === 'below') return { value: { least: null, most: first.value }, end: first.end + 2 };
  return null;
}
