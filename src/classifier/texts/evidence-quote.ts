import { breaksOf } from './clauses.ts';
import { type Span, sentencesOf } from './sentences.ts';

/** Length in UTF-16 code units. A longer sentence is quoted clause by clause around the evidence. */
export const QUOTE_LIMIT = 420;

const lengthOf = (start: number, end: number): number => end - start;

/** Returns the clauses of a sentence around the evidence: first all before it that fit, then those behind it. */
function clausesAround(text: string, sentence: Span, evidence: Span): Span {
  const breaks = breaksOf(text.slice(sentence.start, sentence.end)).flatMap(({ at, rank }) =>
    rank < 3 ? [sentence.start + at] : [],
  );
  const starts = [sentence.start, ...breaks].filter((at) => at <= evidence.start);
  const ends = [...breaks, sentence.end].filter((at) => at >= evidence.end);
  const end = ends[0] ?? sentence.end;
  const start = starts.find((at) => lengthOf(at, end) <= QUOTE_LIMIT) ?? starts.at(-1)!;
  if (lengthOf(start, end) > QUOTE_LIMIT) return evidence;
  return { start, end: ends.findLast((at) => lengthOf(start, at) <= QUOTE_LIMIT) ?? end };
}

/**
 * Returns the sentence that contains the evidence, verbatim. If it exceeds the limit, returns the clauses around the
 * evidence and marks the cuts.
 */
export function evidenceQuote(text: string, evidence: Span): string {
  const whole = sentencesOf(text).find(({ start, end }) => start <= evidence.start && evidence.start < end) ?? evidence;
  const sentence = { start: whole.start, end: Math.max(whole.end, evidence.end) };
  const isLong = lengthOf(sentence.start, sentence.end) > QUOTE_LIMIT;
  const { start, end } = isLong ? clausesAround(text, sentence, evidence) : sentence;
  const quote = text.slice(start, end).trim();
  // A title that consists of punctuation is quoted unchanged.
  const words = quote.replace(/(?<![\s;,–—-])[\s;,–—-]+$/, '');
  if (words === '') return quote;
  const isEnd = /[.!?]["”’)]*$/.test(words) || end >= text.trimEnd().length || text.slice(end).startsWith('\n');
  return `${start > whole.start ? '… ' : ''}${words}${isEnd ? '' : ' …'}`;
}
