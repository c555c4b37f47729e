import { SHORTEST_TEXT, type TruncationRules } from '../../../contract/tools/truncation.ts';

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Returns what `make` returns for the largest number of a range for which it is not null; null if there is none. */
function findLargest<Made>(from: number, to: number, make: (number: number) => Made | null): Made | null {
  let best: Made | null = null;
  let [low, high] = [from, to];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const candidate = make(middle);
    if (candidate === null) high = middle - 1;
    else [best, low] = [candidate, middle + 1];
  }
  return best;
}

const QUOTES = 2;
const ELLIPSIS = '…';
const MAX_ESCAPE = 6;
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Code units before and after an index within which a visible character might begin and end. */
const AROUND = 64;

/** Returns the start of the visible character at an index: a base with its marks, a flag, a joined emoji. */
function visibleBoundary(text: string, at: number): number {
  let from = Math.max(0, at - AROUND);
  const code = text.charCodeAt(from);
  if (code >= 0xdc00 && code <= 0xdfff) from += 1;
  const start = characters.segment(text.slice(from, at + AROUND)).containing(at - from)?.index ?? at - from;
  return start === 0 && from > 0 ? at : from + start;
}

/** Returns the index, or one less if it would split a surrogate pair. */
const avoidHalf = (text: string, end: number): number => (text.codePointAt(end - 1)! > 0xffff ? end - 1 : end);

/**
 * Cuts a text to `maxBytes` bytes of JSON without the quotes. Never splits a character or separates it from its marks.
 */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * MAX_ESCAPE <= maxBytes || jsonBytes(text) - QUOTES <= maxBytes) return text;
  // A code unit takes at least one byte.
  const fitting = findLargest(1, Math.min(text.length, maxBytes), (units) => {
    const end = avoidHalf(text, units);
    return jsonBytes(text.slice(0, end) + ELLIPSIS) - QUOTES <= maxBytes ? end : null;
  });
  return `${text.slice(0, visibleBoundary(text, fitting ?? 0)).trimEnd()}${ELLIPSIS}`;
}

/** Cuts the texts of the named fields, at any depth, to `maxBytes` bytes each. */
function shorten<Value>(value: Value, names: readonly string[], maxBytes: number): Value {
  if (Array.isArray(value)) return value.map((item) => shorten(item, names, maxBytes)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    return [
      name,
      typeof field === 'string' && names.includes(name) ? cutText(field, maxBytes) : shorten(field, names, maxBytes),
    ];
  });
  return Object.fromEntries(fields) as Value;
}

export interface Truncated<Data> {
  readonly data: Data;
  readonly text: string;
}

/**
 * Shortens the texts that come first, then all long texts to one length, then drops rows from the end, then follows the rules of the tool. Null if the
 * result is still too large.
 */
export function truncatePayload<Data>(
  data: Data,
  rules: TruncationRules<Data>,
  maxBytes: number,
): Truncated<Data> | null {
  const fits = (data: Data): Truncated<Data> | null => {
    const text = JSON.stringify(data);
    return Buffer.byteLength(text) <= maxBytes ? { data: data, text } : null;
  };
  const whole = fits(data);
  if (whole !== null) return whole;
  const cutTo = (source: Data, bytes: number): Data => {
    const shortened = shorten(source, rules.texts, bytes);
    return rules.marksShortened ? { ...shortened, truncated: true } : shortened;
  };
  // A text over the cap cannot stay whole: cutting it first makes the next steps cheap.
  let bounded = shorten(data, rules.texts, maxBytes);
  if (rules.firstTexts !== undefined) {
    const { names, shortest } = rules.firstTexts;
    const cut = findLargest(shortest, maxBytes, (bytes) => fits(shorten(bounded, names, bytes)));
    if (cut !== null) return cut;
    bounded = shorten(bounded, names, shortest);
  }
  const shortened = findLargest(SHORTEST_TEXT, maxBytes, (bytes) => fits(cutTo(bounded, bytes)));
  if (shortened !== null) return shortened;
  let smallest = cutTo(bounded, SHORTEST_TEXT);
  for (const rows of rules.rows) {
    const shortest = findLargest(rows.least, rows.count(smallest) - 1, (count) => fits(rows.keep(smallest, count)));
    if (shortest !== null) return shortest;
    if (rows.count(smallest) > rows.least) smallest = rows.keep(smallest, rows.least);
  }
  const next = rules.otherwise?.(bounded) ?? null;
  return next === null ? null : truncatePayload(next.data, next.rules, maxBytes);
}
