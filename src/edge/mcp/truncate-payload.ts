import { SHORTEST_TEXT, type TruncationRules } from '../../../contract/tools/truncation.ts';
import { cutText } from './cut-text.ts';

export interface Truncated<Data> {
  readonly data: Data;
  /** The data as JSON. */
  readonly text: string;
}

/** The largest of a range of whole numbers for which something can be made, with what was made; null where there is none. */
const largest = <Made>(from: number, to: number, make: (number: number) => Made | null): Made | null => {
  let best: Made | null = null;
  let [low, high] = [from, to];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const made = make(middle);
    if (made === null) high = middle - 1;
    else [best, low] = [made, middle + 1];
  }
  return best;
};

/**
 * Fits data into `maxBytes` bytes of UTF-8 JSON: first by shortening the long texts, all to one length, then by dropping rows from the end,
 * then as the rules say otherwise. Null where even that is too large (`response_too_large`).
 */
export const truncatePayload = <Data>(data: Data, rules: TruncationRules<Data>, maxBytes: number): Truncated<Data> | null => {
  const fits = (made: Data): Truncated<Data> | null => {
    const text = JSON.stringify(made);
    return Buffer.byteLength(text) <= maxBytes ? { data: made, text } : null;
  };
  const whole = fits(data);
  if (whole !== null) return whole;
  const cutTo = (source: Data, bytes: number): Data => rules.shortened(rules.shorten(source, (text) => cutText(text, bytes)));
  // No text that is longer than the cap itself can stay: what follows then works on little.
  const bounded = rules.shorten(data, (text) => cutText(text, maxBytes));
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
};
