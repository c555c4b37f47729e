/** Length in UTF-16 code units. A longer sentence is quoted clause by clause around the phrase. */
export const QUOTE_LIMIT = 420;
const CLAUSE = /;\s+|\s+[-–—]\s+|,\s+(?!Inc\b|LLC\b|L\.?P\b|L\.L|Ltd|Jr\b|Sr\b|\d)|\)\s+|\s+(?=\()|\s+/g;
const STRENGTH: readonly RegExp[] = [/^;\s+$|^\s+[-–—]\s+$/, /^,\s+$/, /^\)?\s+$/];

/** Returns the best place to cut between two places: after a semicolon or a dash, else after a comma, else at white space. */
const cuts = (text: string, from: number, to: number): { at: number; rank: number }[] =>
  [...text.slice(from, to).matchAll(CLAUSE)].map((match) => ({
    at: from + match.index + match[0].length,
    rank: STRENGTH.findIndex((pattern) => pattern.test(match[0])),
  }));

function shortened(text: string, sentence: Span, phrase: Span): Span {
  let { start } = sentence;
  if (phrase.end - start > QUOTE_LIMIT) {
    const room = phrase.end - QUOTE_LIMIT;
    const options = cuts(text, Math.max(start, room - 1), phrase.start).filter(
      ({ at }) => at >= room && at <= phrase.start,
    );
    const best = Math.min(...options.map(({ rank }) => rank));
    start = options.find(({ rank }) => rank === best)?.at ?? phrase.start;
  }
  const limit = Math.min(sentence.end, Math.max(start + QUOTE_LIMIT, phrase.end));
  if (limit === sentence.end) return { start, end: limit };
  const found = cuts(text, phrase.end, limit);
  const late = found.filter(({ at }) => at >= start + QUOTE_LIMIT / 2);
  const options = late.length > 0 ? late : found;
  const best = Math.min(...options.map(({ rank }) => rank));
  return { start, end: options.findLast(({ rank }) => rank === best)?.at ?? phrase.end };
}

/**
 * Returns the sentence that contains the phrase, verbatim. If it exceeds the limit, returns the clauses around the
 * phrase and marks the cuts.
 */
export function evidenceQuote(text: string, phrase: Span): string {
  const whole = sentencesOf(text).find((span) => span.start <= phrase.start && phrase.end <= span.end) ?? phrase;
  const { start, end } = whole.end - whole.start > QUOTE_LIMIT ? shortened(text, whole, phrase) : whole;
  const quote = text.slice(start, end).trim();
  // A title that consists of punctuation is quoted unchanged.
  const trimmed = quote.replace(/(?<![\s;,])[\s;,]*(?:[-–—][\s;,]*)?$/, '');
  if (trimmed === '') return quote;
  const endsHere =
    /[.!?]["”’)]*$/.test(trimmed) ||
    /^[\s;,–—-]*(?:\n|$)/.test(text.slice(start + text.slice(start).indexOf(trimmed) + trimmed.length));
  return `${start > whole.start ? '… ' : ''}${trimmed}${endsHere ? '' : ' …'}`;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Abbreviations: a full stop after one does not end a sentence. */
const ABBREVIATION =
  /(?:^|[\s("“/])(?:[A-Z]|[A-Z](?:\.[A-Z])+|(?:No|Nos|Bros|Inc|Co|Corp|Ltd|St|Ave|Blvd|Rd|Dr|Ln|Hwy|Pkwy|Ft|Mt|Mr|Mrs|Ms|Jr|Sr|vs?|Sec|Secs|Art|Ch|Dept|Gov|Est|approx|etc|al|dba|d\/b\/a|a\.k\.a|i\.e|e\.g|[ap]\.m|U\.S|P\.E|Ph\.D|N|S|E|W)|\d+[a-z]?)$/i;

const STOP = /[.!?]["”’)]*\s+(?=["“(]?[\p{Lu}\d])|\n+|(?<!\s)\s+(?=(?:Recommendation of\b|Note:|Financing:))/gu;

function trimmed(text: string, start: number, end: number): Span {
  const part = text.slice(start, end);
  const from = end - part.trimStart().length;
  return { start: from, end: Math.max(from, start + part.trimEnd().length) };
}

/** Returns the trimmed sentences of a text. Together they contain every other character of it, in order. */
function sentencesOf(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const match of text.matchAll(STOP)) {
    if (match[0].startsWith('.') && ABBREVIATION.test(text.slice(Math.max(0, match.index - 12), match.index))) continue;
    spans.push(trimmed(text, start, match.index + match[0].length));
    start = match.index + match[0].length;
  }
  spans.push(trimmed(text, start, text.length));
  return spans.filter((span) => span.end > span.start);
}
