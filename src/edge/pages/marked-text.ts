import { cutAfter } from '../../../domain/text/words.ts';
import { CUT, type Html, html } from './html.ts';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Returns the ranges of the quotes in a text, in order and without overlaps. A quote that the text lacks has none. */
function rangesOf(text: string, quotes: readonly string[]): readonly Range[] {
  const matches = quotes
    .map((quote) => ({ start: quote === '' ? -1 : text.indexOf(quote), length: quote.length }))
    .filter(({ start }) => start >= 0)
    .sort((left, right) => left.start - right.start);
  const ranges: { start: number; end: number }[] = [];
  for (const { start, length } of matches) {
    const last = ranges.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, start + length);
    else ranges.push({ start, end: start + length });
  }
  return ranges;
}

/** Renders a text with its quotes marked. */
export function markedText(text: string, quotes: readonly string[]): Html {
  let at = 0;
  const parts = rangesOf(text, quotes).map(({ start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return html`${before}<mark>${text.slice(start, end)}</mark>`;
  });
  return html`${parts}${text.slice(at)}`;
}

/** Characters on each side of a quote. */
export const AROUND = 160;
/** Maximum characters of a quote that are shown. */
export const MAX_QUOTE = 400;

/** Renders the quote, marked, with the text around it, or the quote alone if the text does not contain it. */
export function quoteInText(text: string | null, quote: string): Html {
  const start = text?.indexOf(quote) ?? -1;
  const [cut, rest] = quote.length > MAX_QUOTE ? [cutAfter(quote, MAX_QUOTE), CUT] : [quote, ''];
  if (text === null || start < 0) return html`<mark>${cut}</mark>${rest}`;
  const from = Math.max(0, start - AROUND);
  const before = `${from > 0 ? '… ' : ''}${from > 0 ? fromWord(text.slice(from, start)) : text.slice(0, start)}`;
  const end = start + quote.length;
  const after = rest === '' ? `${cutAfter(text.slice(end), AROUND)}${end + AROUND < text.length ? CUT : ''}` : rest;
  return html`${before.toWellFormed()}<mark>${cut.toWellFormed()}</mark>${after.toWellFormed()}`;
}

/** Drops the first, incomplete word unless it is long. */
function fromWord(text: string): string {
  const space = text.search(/\s/);
  return space >= 0 && space < text.length / 2 ? text.slice(space + 1) : text;
}

/** Renders a part of a text around the first of these lower-case words, with each of them marked. */
export function excerptAround(text: string, words: readonly string[]): Html {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0), text.length);
  const from = first === text.length ? 0 : Math.max(0, first - AROUND);
  const part = text.slice(from, from + 2 * AROUND).toWellFormed();
  const quotes = words.flatMap((word) => {
    const at = part.toLowerCase().indexOf(word);
    return at < 0 ? [] : [part.slice(at, at + word.length)];
  });
  return html`${from > 0 && '… '}${markedText(part, quotes)}${from + 2 * AROUND < text.length && ' …'}`;
}
