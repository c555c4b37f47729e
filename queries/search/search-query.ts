import { MARK } from '../../projections/agenda-search/tables.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { HIGHWAY, referenceNumbers, TYPED_CASE } from '../../domain/reference-numbers.ts';
import { unaccented, spellableWords, straightQuotes } from '../../domain/words.ts';
import synonyms from './synonyms.json' with { type: 'json' };

/** A part of a query. An item has it if it has one of the texts or one of the marks. */
interface Unit {
  /** Arguments of `websearch_to_tsquery`; a quoted one is a phrase. */
  readonly texts: readonly string[];
  readonly marks: readonly string[];
  readonly isDate: boolean;
  readonly isExcluded: boolean;
  /** "or" stands before it. */
  readonly isAlternative: boolean;
}

/** What the words of the field stand for, the word itself included where it is searched too. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(synonyms).map(([typed, texts]) => [typed.toLowerCase(), texts.map((text) => `"${text}"`)]),
);
const MONTH = String.raw`(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|ember|ober)?\b\.?`;
const DAY = String.raw`\d{1,2}(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?:,?\s+\d{4}\b)?`;
const DATE = String.raw`(?:\d{4}-\d\d-\d\d|\d\d?/\d\d?/\d{4}|${DAY}\s+(?:of\s+)?${MONTH}${YEAR}|${MONTH}\s+${DAY}\b${YEAR})(?![-/\p{L}\p{N}])`;
const FIELD_WORDS = [...SYNONYMS.keys()].toSorted((left, right) => right.length - left.length).join('|');
const PARTS = new RegExp(
  [
    '(?<phrase>-*"[^"]*"?)',
    `(?<date>${DATE})`,
    `(?<number>${TYPED_CASE}|${HIGHWAY}(?![-\\p{L}\\p{N}]))`,
    `(?<synonym>-*(?:${FIELD_WORDS})(?![-'’\\p{L}\\p{N}]))`,
    '(?<word>[^\\s"(\\[][^\\s"]*)',
  ].join('|'),
  'giu',
);
const HIGHWAY_ONLY = new RegExp(`^${HIGHWAY}$`, 'iu');
// oxlint-disable-next-line no-control-regex
const NO_TEXT = /[\0\ufffd]/g;

/** A date without a year is that of so many years before this one, of this one and of the next. */
const PAST_YEARS = 10;

/** A query as it was typed, made ready for the database. What is no text (U+0000 and lone surrogates) separates words. */
export function searchQuery(typed: string, thisYear: number) {
  const text = straightQuotes(unaccented(typed.toWellFormed().replaceAll(NO_TEXT, ' ')));
  const units: Unit[] = [];
  let isAlternative = false;
  for (const { 0: part, groups } of text.matchAll(PARTS)) {
    const isOr = /^or$/i.test(part);
    if (!isOr) units.push({ ...unitOf(part, groups!, thisYear), isAlternative });
    isAlternative = isOr && units.length > 0;
  }
  return {
    units,
    /** The words that may be misspelt. */
    words: [...spellableWords(units.flatMap(({ texts }) => (texts.length === 1 ? texts : [])).join('\n'))],
  };
}

export type SearchQuery = ReturnType<typeof searchQuery>;

function unitOf(part: string, { date, number, synonym }: Record<string, string | undefined>, thisYear: number) {
  const text = part.replace(/^-+/, '');
  const isExcluded = text.length < part.length && text !== '';
  const days = date === undefined ? [] : daysOf(date, thisYear).map((day) => `${MARK.day}${day}`);
  const numbers = referenceNumbers(number?.replace(/(\d)\s+(\d)/, '$1-$2') ?? '').map((each) => `${MARK.number}${each}`);
  // Of the words of a highway only its number is searched, and each other number would match.
  const isHighway = number !== undefined && HIGHWAY_ONLY.test(number);
  const texts = isHighway ? [] : (SYNONYMS.get(synonym === undefined ? '' : text.toLowerCase()) ?? [text]);
  return { texts, marks: [...days, ...numbers], isDate: days.length > 0, isExcluded };
}

/** Days of a date as it was typed; none where there is no such day. */
function daysOf(date: string, thisYear: number): readonly number[] {
  const plain = date.replaceAll(/\bof\b|(?<=\d)(?:st|nd|rd|th)|[.,]/gi, ' ');
  const years = /\d{4}/.test(plain) ? [''] : Array.from({ length: PAST_YEARS + 2 }, (_, index) => ` ${thisYear + 1 - index}`);
  const times = years.map((year) => Date.parse(`${plain}${year}${/^\d{4}/.test(plain) ? '' : ' UTC'}`));
  const numbers = plain.match(/\d+/g)!.map(Number);
  // The parser takes February 30 for the day after the 1st of March.
  const isThere = (time: number) => numbers.every((number) => number < 29 || number > 31 || number === new Date(time).getUTCDate());
  return times.filter((time) => !Number.isNaN(time) && isThere(time)).map((time) => Math.floor(time / DAY_MS));
}
