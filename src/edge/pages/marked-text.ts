import { clipped, type Html, html } from './html.ts';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Places of the quotes in a text, in order and apart from each other; a quote that is not in it has none. */
function rangesOf(text: string, quotes: readonly string[]): readonly Range[] {
  const found = quotes
    .map((quote) => ({ start: quote === '' ? -1 : text.indexOf(quote), length: quote.length }))
    .filter(({ start }) => start >= 0)
    .sort((left, right) => left.start - right.start);
  const ranges: { start: number; end: number }[] = [];
  for (const { start, length } of found) {
    const last = ranges.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, start + length);
    else ranges.push({ start, end: start + length });
  }
  return ranges;
}

/** A text with its quotes marked. */
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
const MAX_QUOTE = 400;

/** A quote without the signs that the classifier cut it. */
export const wordsOfQuote = (quote: string): string => quote.replace(/^… /, '').replace(/ …$/, '');

/** The quote, marked, with what stands around it; the quote alone where the text does not have it. */
export function quoteInText(text: string | null, quote: string): Html {
  const start = text?.indexOf(quote) ?? -1;
  const [shown, rest] = quote.length > MAX_QUOTE ? [quote.slice(0, MAX_QUOTE), ' …'] : [quote, ''];
  if (text === null || start < 0) return html`<mark>${shown}</mark>${rest}`;
  const from = Math.max(0, start - AROUND);
  const before = `${from > 0 ? '… ' : ''}${text.slice(from, start)}`;
  const end = start + quote.length;
  const after = rest === '' ? `${text.slice(end, end + AROUND)}${end + AROUND < text.length ? ' …' : ''}` : rest;
  return html`${before.toWellFormed()}<mark>${shown.toWellFormed()}</mark>${after.toWellFormed()}`;
}

/** A part of a text around the first of these lower-case words, with each of them marked. */
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

interface HitTexts {
  readonly title: string;
  readonly summary: string;
  readonly evidenceQuote: string;
}
const lineOf = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();

/** What a summary says after the shown title, which it often begins with; all of it where the title was clipped. */
export function summaryAfterTitle(summary: string, title: string): string {
  const [whole, start] = [lineOf(summary), lineOf(title)];
  const sentence = /[.!?…]["”]?$/.test(start) ? start : `${start}.`;
  if (whole === start) return '';
  return whole.startsWith(sentence) ? whole.slice(sentence.length).trim() : whole;
}

/** The texts of a hit, each fact once: the quote is marked where the shown title or summary has it, and stands apart only where it says more. */
export function hitTexts({ title, summary, evidenceQuote }: HitTexts, max: { readonly title: number; readonly summary: number }) {
  const quote = wordsOfQuote(lineOf(evidenceQuote));
  const shownTitle = clipped(title.normalize('NFC'), max.title);
  const rest = summaryAfterTitle(summary, shownTitle);
  const shownSummary = clipped(rest, max.summary);
  const saysMore = !shownTitle.includes(quote) && !shownSummary.includes(quote);
  return {
    title: markedText(shownTitle, [quote]),
    summary: rest === '' || (saysMore && quote.includes(rest)) ? null : markedText(shownSummary, shownTitle.includes(quote) ? [] : [quote]),
    quote: saysMore ? quoteInText(null, evidenceQuote) : null,
  };
}
