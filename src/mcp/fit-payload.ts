import { cutText } from './cut-text.ts';

/** A list whose last rows may be dropped. */
export interface Rows<Data> {
  /** How many must stay. */
  readonly least: number;
  count(data: Data): number;
  keep(data: Data, rows: number): Data;
}

/** What may be taken from a tool's data when it is too large. */
export interface Fitting<Data> {
  /** The data with every text that may be shortened passed through `cut`. */
  shorten(data: Data, cut: (text: string) => string): Data;
  /** In the order in which they are dropped from. */
  readonly rows: readonly Rows<Data>[];
  /** Says in the data that texts were shortened, where it has a word for that. */
  shortened(data: Data): Data;
  /** What is fitted instead of data that is too large even so: without its most obstinate part. Null where nothing is left to try. */
  otherwise?(data: Data): { readonly data: Data; readonly fitting: Fitting<Data> } | null;
}

export interface Fitted<Data> {
  readonly data: Data;
  /** The data as JSON. */
  readonly text: string;
}

/** No text is cut below this many bytes. */
export const SHORTEST_TEXT = 240;

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
 * Fits data into `maxBytes` bytes of UTF-8 JSON: first by shortening the long texts, all to one length, then by dropping rows from the end.
 * then as the fitting has it otherwise. Null where even that is too large (specification, section MCP: `response_too_large`).
 */
export const fitPayload = <Data>(data: Data, fitting: Fitting<Data>, maxBytes: number): Fitted<Data> | null => {
  const fits = (made: Data): Fitted<Data> | null => {
    const text = JSON.stringify(made);
    return Buffer.byteLength(text) <= maxBytes ? { data: made, text } : null;
  };
  const whole = fits(data);
  if (whole !== null) return whole;
  const cutTo = (source: Data, bytes: number): Data => fitting.shortened(fitting.shorten(source, (text) => cutText(text, bytes)));
  // No text that is longer than the cap itself can stay: what follows then works on little.
  const bounded = fitting.shorten(data, (text) => cutText(text, maxBytes));
  const shortened = largest(SHORTEST_TEXT, maxBytes, (bytes) => fits(cutTo(bounded, bytes)));
  if (shortened !== null) return shortened;
  let smallest = cutTo(bounded, SHORTEST_TEXT);
  for (const rows of fitting.rows) {
    const kept = largest(rows.least, rows.count(smallest) - 1, (count) => fits(rows.keep(smallest, count)));
    if (kept !== null) return kept;
    if (rows.count(smallest) > rows.least) smallest = rows.keep(smallest, rows.least);
  }
  const next = fitting.otherwise?.(bounded) ?? null;
  return next === null ? null : fitPayload(next.data, next.fitting, maxBytes);
};
