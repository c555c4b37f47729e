import { SHORTEST_TEXT, type TruncationRules } from '../../../contract/tools/truncation.ts';

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The largest of a range of whole numbers for which something can be made, with what was made; null where there is none. */
function largest<Made>(from: number, to: number, make: (number: number) => Made | null): Made | null {
  let best: Made | null = null;
  let [low, high] = [from, to];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const made = make(middle);
    if (made === null) high = middle - 1;
    else [best, low] = [made, middle + 1];
  }
  return best;
}

const QUOTES = 2;
const ELLIPSIS = '…';
const MAX_ESCAPE = 6;
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** How far before a place a character that a reader sees as one may begin, and how far after it may end, in code units. */
const AROUND = 64;

/** The start of the visible character that the place lies in: a base with its marks, a flag, a joined emoji. */
function visibleBoundary(text: string, at: number): number {
  let from = Math.max(0, at - AROUND);
  const code = text.charCodeAt(from);
  if (code >= 0xdc00 && code <= 0xdfff) from += 1;
  const start = characters.segment(text.slice(from, at + AROUND)).containing(at - from)?.index ?? at - from;
  return start === 0 && from > 0 ? at : from + start;
}

/** One less where the end would lie within a surrogate pair. */
const withoutHalf = (text: string, end: number): number => (text.codePointAt(end - 1)! > 0xffff ? end - 1 : end);

/** At most `maxBytes` bytes of JSON without the quotes. Never ends within a character, nor between a character and its marks. */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * MAX_ESCAPE <= maxBytes || jsonBytes(text) - QUOTES <= maxBytes) return text;
  // A code unit takes one byte at least.
  const fitting = largest(1, Math.min(text.length, maxBytes), (units) => {
    const end = withoutHalf(text, units);
    return jsonBytes(text.slice(0, end) + ELLIPSIS) - QUOTES <= maxBytes ? end : null;
  });
  return `${text.slice(0, visibleBoundary(text, fitting ?? 0)).trimEnd()}${ELLIPSIS}`;
}

/** The data with the texts of the named fields, at any depth, cut to `maxBytes` bytes. */
function shorten<Value>(value: Value, names: readonly string[], maxBytes: number): Value {
  if (Array.isArray(value)) return value.map((item) => shorten(item, names, maxBytes)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    return [name, typeof field === 'string' && names.includes(name) ? cutText(field, maxBytes) : shorten(field, names, maxBytes)];
  });
  return Object.fromEntries(fields) as Value;
}

export interface Truncated<Data> {
  readonly data: Data;
  readonly text: string;
}

/** First shortens the long texts, all to one length, then drops rows from the end, then as the rules say. Null where that is too large. */
export function truncatePayload<Data>(data: Data, rules: TruncationRules<Data>, maxBytes: number): Truncated<Data> | null {
  const fits = (made: Data): Truncated<Data> | null => {
    const text = JSON.stringify(made);
    return Buffer.byteLength(text) <= maxBytes ? { data: made, text } : null;
  };
  const whole = fits(data);
  if (whole !== null) return whole;
  const cutTo = (source: Data, bytes: number): Data => {
    const shortened = shorten(source, rules.texts, bytes);
    return rules.marksShortened ? { ...shortened, truncated: true } : shortened;
  };
  // No text that is longer than the cap itself can stay: what follows then works on little.
  const bounded = shorten(data, rules.texts, maxBytes);
  const shortened = largest(SHORTEST_TEXT, maxBytes, (bytes) => fits(cutTo(bounded, bytes)));
  if (shortened !== null) return shortened;
  let smallest = cutTo(bounded, SHORTEST_TEXT);
  for (const rows of rules.rows) {
    const kept = largest(rows.least, rows.count(smallest) - 1, (count) => fits(rows.keep(smallest, count)));
    if (kept !== null) return kept;
    if (rows.count(smallest) > rows.least) smallest = rows.keep(smallest, rows.least);
  }
  const next = rules.otherwise?.(bounded) ?? null;
  return next === null ? null : truncatePayload(next.data, next.rules, maxBytes);
}
