export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Abbreviations: a full stop after one does not end a sentence. */
const ABBREVIATION =
  /(?:^|[\s("“/])(?:[A-Z]|[A-Z](?:\.[A-Z])+|(?:No|Nos|Inc|Co|Corp|Ltd|St|Ave|Blvd|Rd|Dr|Ln|Hwy|Pkwy|Ft|Mt|Mr|Mrs|Ms|Jr|Sr|vs?|Sec|Secs|Art|Ch|Dept|Gov|Est|approx|etc|al|dba|d\/b\/a|a\.k\.a|i\.e|e\.g|[ap]\.m|U\.S|P\.E|Ph\.D|N|S|E|W)|\d+[a-z]?)$/i;

const STOP = /[.!?]["”’)]*\s+(?=["“(]?[\p{Lu}\d])|\n+|\s+(?=(?:Recommendation of\b|Note:|Financing:))/gu;

function trimmed(text: string, start: number, end: number): Span {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text[from] as string)) from += 1;
  while (to > from && /\s/.test(text[to - 1] as string)) to -= 1;
  return { start: from, end: to };
}

/** The sentences of a text without the white space around them; together they hold every other character of it, in order. */
export function sentencesOf(text: string): Span[] {
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
