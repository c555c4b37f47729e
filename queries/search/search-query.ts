import { MARK } from '../../projections/agenda-search/tables.ts';
import { DAY_MS } from '../../domain/durations.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { HIGHWAY, referenceNumbers, TYPED_CASE } from '../../domain/reference-numbers.ts';
import { DASHES, plainAmounts, unaccented, spellableWords, straightQuotes } from '../../domain/text/words.ts';
import { daysOfMonth, monthOf } from './question/calendar.ts';
import { PAST_YEARS } from './question/days.ts';
import { STREET_TYPES } from './street-types.ts';
import synonyms from './synonyms.json' with { type: 'json' };

/** A part of a query. An item has it if it has one of the texts or one of the marks. */
export interface Unit {
  /** Arguments of `websearch_to_tsquery`; a quoted one is a phrase. */
  readonly texts: readonly string[];
  readonly marks: readonly string[];
  readonly isDate: boolean;
  readonly isExcluded: boolean;
  /** True if "or" precedes it. */
  readonly isAlternative: boolean;
  /** Words as they were typed, for the guidance. */
  readonly typed: string;
  /** A typed word in lower case, without punctuation and a possessive ending; null for other parts. */
  readonly word: string | null;
  /** Meaning of the marks, if an item that has one is preferred to an item that has the words; null if not. */
  readonly meaning: string | null;
}

/** Words for an outcome of an item. */
const OUTCOMES: ReadonlyMap<string, NonNullable<RecordData<'agenda_items'>['outcome']>> = new Map([
  ['approved', 'approved'],
  ['adopted', 'approved'],
  ['passed', 'approved'],
  ['denied', 'denied'],
  ['rejected', 'denied'],
  ['continued', 'continued'],
  ['postponed', 'continued'],
  ['tabled', 'continued'],
  ['withdrawn', 'withdrawn'],
]);
const DISTRICT = String.raw`(?:(?:council|commissioners?)\s+)?(?:district|precinct|ward|cd)\s+(?:no\.?\s*)?\d{1,3}`;

/** Texts that words of the field stand for; they include the word itself if it is searched too. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  [...STREET_TYPES, ...Object.entries(synonyms)].map(([typed, texts]) => [
    typed.toLowerCase(),
    texts.map((text) => `"${text}"`),
  ]),
);
const SHORT_MONTH = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)';
/** "sept.", "september". */
const MONTH = String.raw`${SHORT_MONTH}(?:uary|ruary|ch|il|ust|ember|ober)?\b\.?`;
const DAY = String.raw`\d{1,2}(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?:,?\s+\d{4}\b)?`;
const NUMERIC_DATE = String.raw`\d{4}-\d\d?-\d\d?|\d{4}/\d\d?/\d\d?|\d\d?-\d\d?-\d{4}|\d\d?/\d\d?/(?:\d\d){1,2}`;
const WRITTEN_DATE = String.raw`${DAY}\s+(?:of\s+)?${MONTH}${YEAR}|${MONTH}\s+${DAY}\b${YEAR}`;
/** "2026-03-24", "3/24/26", "24 of march", "march 24th, 2026". */
const DATE = String.raw`(?:${NUMERIC_DATE}|${WRITTEN_DATE})(?![-/\p{L}\p{N}])`;
/** "June 2025", "may of 2026". */
const MONTH_OF_YEAR = String.raw`${MONTH}\s+(?:of\s+)?(?:19|20)\d\d`;
const FIELD_WORDS = [...SYNONYMS.keys()].toSorted((left, right) => right.length - left.length).join('|');
const PARTS = new RegExp(
  [
    '(?<phrase>-*"[^"]*"?)',
    `(?<date>${DATE})`,
    `(?<month>${MONTH_OF_YEAR})(?![-/\\p{L}\\p{N}])`,
    `(?<district>${DISTRICT})(?![-/\\p{L}\\p{N}])`,
    `(?<number>${TYPED_CASE}|${HIGHWAY}(?![-\\p{L}\\p{N}]))`,
    `(?<synonym>-*(?:${FIELD_WORDS})(?![-'’\\p{L}\\p{N}]))`,
    '(?<word>[^\\s"(\\[/][^\\s"]*)',
  ].join('|'),
  'giu',
);
const HIGHWAY_ONLY = new RegExp(`^${HIGHWAY}$`, 'iu');
/** An amount without cents, which a source might write as zero. An excerpt finds it in both forms. */
const AMOUNT = /^(\$?\d{1,3}(?:,\d{3})+)(?:\.00)?[).,;]*$/;
/** A dash within a word or number; not one between two dates, nor one before a word, which would exclude it. */
const INNER_DASH = new RegExp(String.raw`(?<=[\p{L}\p{N}])(?<!\d[-/]\d{1,4})[${DASHES.from}](?=[\p{L}\p{N}])`, 'gu');
const NUMERIC_ONLY = new RegExp(`^(?:${NUMERIC_DATE})$`);
/** Last two-digit year of this century. */
const LAST_SHORT_YEAR = 69;
// oxlint-disable-next-line no-control-regex
const NO_TEXT = /[\0\ufffd]/g;

/** A query as it was typed, made ready for the database. NUL characters and unpaired surrogates separate words. */
export function searchQuery(typed: string, thisYear: number) {
  const text = straightQuotes(unaccented(typed.toWellFormed().replaceAll(NO_TEXT, ' '))).replaceAll(INNER_DASH, '-');
  const units: Unit[] = [];
  let isAlternative = false;
  for (const { 0: part, groups } of text.matchAll(PARTS)) {
    const isOr = /^or$/i.test(part);
    if (!isOr) units.push({ ...unitOf(part, groups!, thisYear), isAlternative });
    isAlternative = isOr && units.length > 0;
  }
  return {
    units,
    /** The words that might be misspelled or name a type of street, and those of them that are part of a date. */
    words: [
      ...spellableWords(
        units
          .flatMap(({ texts, word }) => (texts.length === 1 || STREET_TYPES.has(word ?? '') ? texts : []))
          .join('\n'),
      ),
    ],
    ofDates: spellableWords(
      units.flatMap(({ texts, isDate, meaning }) => (isDate || meaning !== null ? texts : [])).join('\n'),
    ),
  };
}

export type SearchQuery = ReturnType<typeof searchQuery>;

function unitOf(
  part: string,
  groups: Record<string, string | undefined>,
  thisYear: number,
): Omit<Unit, 'isAlternative'> {
  const { date, month, district, number, synonym } = groups;
  const text = part.replace(/^-+/, '');
  const isExcluded = text.length < part.length && text !== '';
  const plainUnit = { isExcluded, isDate: false, word: plainWordOf(part), meaning: null, typed: text };
  if (month !== undefined)
    return {
      ...plainUnit,
      texts: [`"${text}"`],
      marks: marksOfMonth(month),
      isDate: true,
      meaning: 'meetings of that month',
    };
  if (district !== undefined) {
    const digits = /(?<!\d)\d+$/.exec(district)![0];
    const texts = [`"${text}"`, `"district ${digits}"`];
    return { ...plainUnit, texts, marks: [`${MARK.district}${Number(digits)}`], meaning: 'a district' };
  }
  const outcome = groups['word'] === undefined || isExcluded ? undefined : OUTCOMES.get(plainUnit.word ?? '');
  if (outcome !== undefined) {
    return { ...plainUnit, texts: [text], marks: [`${MARK.outcome}${outcome}`], meaning: 'an outcome' };
  }
  const days = date === undefined ? [] : daysOf(date, thisYear).map((day) => `${MARK.day}${day}`);
  const numbers = referenceNumbers(number?.replace(/(\d)\s+(\d)/, '$1-$2') ?? '').map(
    (each) => `${MARK.number}${each}`,
  );
  // Only the mark of a highway is searched: its words would match every other number.
  const isHighway = number !== undefined && HIGHWAY_ONLY.test(number);
  const amount = AMOUNT.exec(text)?.[1];
  const plain =
    amount === undefined ? [plainAmounts(asWords(text))] : [amount.replaceAll(',', ''), amount, `${amount}.00`];
  const texts = isHighway ? [] : (SYNONYMS.get(synonym === undefined ? '' : text.toLowerCase()) ?? plain);
  return { ...plainUnit, texts, marks: [...days, ...numbers], isDate: days.length > 0 };
}

/** Returns the marks of all days of a month such as "June 2025". */
function marksOfMonth(month: string): readonly string[] {
  const [name, year] = [month.slice(0, 3).toLowerCase(), Number(month.slice(-4))];
  const { first, last } = daysOfMonth(year, monthOf(name));
  return Array.from({ length: last - first + 1 }, (_, index) => `${MARK.day}${first + index}`);
}

const PLAIN_WORD = /^\(*([\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*)(?:'s)?[).,;:?!]*$/u;
/** Returns a typed word in lower case, without punctuation; null for other parts. */
const plainWordOf = (part: string): string | null => PLAIN_WORD.exec(part)?.[1]!.toLowerCase() ?? null;

/** Replaces slashes by spaces within a phrase, as the read model does. */
const asWords = (text: string): string => (text.includes('/') ? `"${text.replaceAll(/[/"]/g, ' ')}"` : text);

/** Returns the days of a typed date; none if the day does not exist. */
function daysOf(date: string, thisYear: number): readonly number[] {
  if (NUMERIC_ONLY.test(date)) {
    const parts = date.split(/[-/]/);
    const [month, day, typedYear] = (parts[0]!.length === 4 ? [parts[1]!, parts[2]!, parts[0]!] : parts).map(
      Number,
    ) as [number, number, number];
    const isShort = parts.at(-1)!.length === 2 && parts[0]!.length < 4;
    const year = isShort ? typedYear + (typedYear <= LAST_SHORT_YEAR ? 2000 : 1900) : typedYear;
    const time = new Date(0).setUTCFullYear(year, month - 1, day);
    const isThere = new Date(time).getUTCMonth() === month - 1 && new Date(time).getUTCDate() === day;
    return isThere ? [Math.floor(time / DAY_MS)] : [];
  }
  const plain = date.replaceAll(/\bof\b|(?<=\d)(?:st|nd|rd|th)|[.,]/gi, ' ');
  const years = /\d{4}/.test(plain)
    ? ['']
    : Array.from({ length: PAST_YEARS + 2 }, (_, index) => ` ${thisYear + 1 - index}`);
  const times = years.map((year) => Date.parse(`${plain}${year} UTC`));
  const [day] = /(?<!\d)\d{1,2}(?!\d)/.exec(plain)!;
  // The parser takes February 30 for the day after the 1st of March.
  return times.filter((time) => new Date(time).getUTCDate() === Number(day)).map((time) => Math.floor(time / DAY_MS));
}
