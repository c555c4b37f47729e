import { MONTHS } from '../../../domain/months.ts';
import { type Days, dateOf, dayOf, daysOfMonth, daysOfYear, mondayOf, monthOf, WEEK, weekdayOf } from './calendar.ts';
import { STREET_TYPES } from '../street-types.ts';
import { type TypedWord, wordAt } from './typed-words.ts';

/** The day of the question, and whether it speaks of the past or the future. */
export interface QuestionTime {
  readonly today: number;
  readonly tense: 'past' | 'future' | null;
}

/** Days of meetings; null without a bound. */
export interface DayRange {
  readonly from: number | null;
  readonly to: number | null;
  /** The same day of several years, the latest first, for a date without a year. */
  readonly sameDays?: readonly number[];
}

interface Reading<Value> {
  readonly value: Value;
  /** Index of the word after it. */
  readonly end: number;
}

const NEXT = ['next', 'coming'];
const LAST = ['last', 'past', 'previous'];
const THIS = ['this', 'current'];
const DURING = ['in', 'during', 'on', 'for', 'of'];
const until = ({ last }: Days): DayRange => ({ from: null, to: last });
const BOUNDS: Readonly<Record<string, (days: Days) => DayRange>> = {
  since: ({ first }) => ({ from: first, to: null }),
  after: ({ last }) => ({ from: last + 1, to: null }),
  before: ({ first }) => ({ from: null, to: first - 1 }),
  until,
  through: until,
  by: until,
};
const NUMBERS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
const PARTS_OF_DAY = ['morning', 'afternoon', 'evening', 'night'];
/** Months ahead in which a month without a year is expected: agendas are seldom posted earlier. */
const MONTHS_AHEAD = 2;
const YEAR = /^(?:19|20)\d\d$/;
const DAY_OF_MONTH = /^(\d{1,2})(?:st|nd|rd|th)?$/;
const ISO_DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const US_DATE = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$/;

const one = (day: number): Days => ({ first: day, last: day });

/** Returns the period of a unit that is so many units after the current one. */
function unitAway(unit: string, away: number, today: number): Days | null {
  const { year, month } = dateOf(today);
  const monday = mondayOf(today) + WEEK * away;
  if (unit === 'week') return { first: monday, last: monday + WEEK - 1 };
  if (unit === 'weekend') return { first: monday + 5, last: monday + WEEK - 1 };
  if (unit === 'month') return daysOfMonth(year, month + away);
  // Agendas of the next year are not posted yet: "next year" is rather the year of a budget.
  return unit === 'year' && away <= 0 ? daysOfYear(year + away) : null;
}

/** Returns the days of "last 3 months" or "next two weeks", up to the day of the question or from it on. */
function severalUnits(count: number, unit: string, isPast: boolean, today: number): Days | null {
  const { year, month } = dateOf(today);
  const day = today - daysOfMonth(year, month).first + 1;
  const sign = isPast ? -1 : 1;
  const other =
    unit === 'days' || unit === 'day'
      ? today + sign * count
      : unit === 'weeks'
        ? today + sign * count * WEEK
        : unit === 'months'
          ? dayOf(year, month + sign * count, day)
          : unit === 'years'
            ? dayOf(year + sign * count, month, day)
            : null;
  if (other === null) return null;
  return isPast ? { first: other, last: today } : { first: today, last: other };
}

function nearestWeekday(weekday: number, isPast: boolean, today: number): number {
  const away = (weekday - (today - mondayOf(today)) + WEEK) % WEEK;
  return isPast ? today - ((WEEK - away) % WEEK) : today + away;
}

/** Reads a period that follows "this", "next" or "last". */
function relativeAt(words: readonly TypedWord[], at: number, { today }: QuestionTime): Reading<Days> | null {
  const [order, unit] = [wordAt(words, at), wordAt(words, at + 1)];
  const away = NEXT.includes(order) ? 1 : LAST.includes(order) ? -1 : THIS.includes(order) ? 0 : null;
  if (away === null) return null;
  const isPossessiveYear = unit === 'year' && words[at + 1]!.isPossessive;
  const period = isPossessiveYear ? null : unitAway(unit, away, today);
  if (period !== null) return { value: period, end: at + 2 };
  const weekday = weekdayOf(unit);
  if (weekday >= 0) {
    const start = away === 0 ? today : today + away;
    return { value: one(nearestWeekday(weekday, away < 0, start)), end: afterPartOfDay(words, at + 2) };
  }
  const month = monthOf(unit);
  if (month >= 0) return { value: monthNear(month, away < 0 ? 'past' : 'future', today), end: at + 2 };
  const count = NUMBERS.includes(unit) ? NUMBERS.indexOf(unit) : /^\d{1,3}$/.test(unit) ? Number(unit) : 0;
  const several = count === 0 || away === 0 ? null : severalUnits(count, wordAt(words, at + 2), away < 0, today);
  return several === null ? null : { value: several, end: at + 3 };
}

const afterPartOfDay = (words: readonly TypedWord[], at: number): number =>
  PARTS_OF_DAY.includes(wordAt(words, at)) ? at + 1 : at;

/** Returns the month of a name without a year: the next one or the last one, by the tense of the question. */
function monthNear(month: number, tense: QuestionTime['tense'], today: number): Days {
  const current = dateOf(today);
  const ahead = (month - current.month + MONTHS.length) % MONTHS.length;
  const isNext = tense === null ? ahead <= MONTHS_AHEAD : tense === 'future' || ahead === 0;
  return daysOfMonth(current.year, current.month + (isNext ? ahead : ahead - MONTHS.length));
}

/** Reads a date or a month with its year: "April 14, 2026", "14 April 2026", "2026-04-14", "June 2025". */
function datedAt(words: readonly TypedWord[], at: number): Reading<Days> | null {
  const first = wordAt(words, at);
  const iso = ISO_DATE.exec(first);
  if (iso !== null) return validDay(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]), at + 1);
  const us = US_DATE.exec(first);
  if (us !== null) return validDay(Number(us[3]), Number(us[1]) - 1, Number(us[2]), at + 1);
  const day = dayOfMonthAt(words, at);
  const month = day?.value.month ?? monthOf(first);
  const yearAt = day?.end ?? at + 1;
  const year = wordAt(words, yearAt);
  if (month < 0 || !YEAR.test(year)) return null;
  if (day === null) return { value: daysOfMonth(Number(year), month), end: yearAt + 1 };
  return validDay(Number(year), month, day.value.day, yearAt + 1);
}

/** Reads "April 14" or "14 April". */
function dayOfMonthAt(words: readonly TypedWord[], at: number): Reading<{ month: number; day: number }> | null {
  const [first, second] = [wordAt(words, at), wordAt(words, at + 1)];
  const [monthWord, dayWord] = monthOf(first) < 0 ? [second, first] : [first, second];
  const [month, day] = [monthOf(monthWord), DAY_OF_MONTH.exec(dayWord)];
  return month < 0 || day === null ? null : { value: { month, day: Number(day[1]) }, end: at + 2 };
}

function validDay(year: number, month: number, day: number, end: number): Reading<Days> | null {
  if (month < 0 || month >= MONTHS.length) return null;
  const { first, last } = daysOfMonth(year, month);
  const value = first + day - 1;
  return value >= first && value <= last ? { value: one(value), end } : null;
}

/** Reads a period that needs no word before it: "tomorrow", "next week", "Tuesday night". */
function plainPeriodAt(words: readonly TypedWord[], at: number, time: QuestionTime): Reading<Days> | null {
  const { today, tense } = time;
  const word = wordAt(words, at);
  const away = { today: 0, tonight: 0, tomorrow: 1, yesterday: -1 }[word];
  if (away !== undefined) return { value: one(today + away), end: at + 1 };
  const weekday = weekdayOf(word);
  const end = afterPartOfDay(words, at + 1);
  const isNamed = weekday >= 0 && (words[at]!.isPossessive || end > at + 1);
  if (isNamed) return { value: one(nearestWeekday(weekday, tense === 'past', today)), end };
  return relativeAt(words, at, time);
}

/** Words after which a month or a year alone is a time: not "on May Street", nor "by March Construction". */
const BEFORE_MONTH = ['in', 'during', 'since', 'after', 'before', 'until', 'through', 'between', 'from'];

/** Reads a period after a word such as "in" or "since", which makes a day, month or year of a plain word. */
function namedPeriodAt(
  words: readonly TypedWord[],
  at: number,
  opening: string,
  time: QuestionTime,
): Reading<Days> | null {
  const { today, tense } = time;
  const word = wordAt(words, at);
  const period = plainPeriodAt(words, at, time) ?? datedAt(words, at);
  if (period !== null) return period;
  const isName = STREET_TYPES.has(wordAt(words, at + 1)) || wordAt(words, at + 1) === 'block';
  if (isName) return null;
  const weekday = weekdayOf(word);
  if (weekday >= 0) return { value: one(nearestWeekday(weekday, tense === 'past', today)), end: at + 1 };
  const day = dayOfMonthAt(words, at);
  if (day !== null) {
    const { first } = monthNear(day.value.month, tense, today);
    return { value: one(first + day.value.day - 1), end: day.end };
  }
  if (!BEFORE_MONTH.includes(opening)) return null;
  if (monthOf(word) >= 0) return { value: monthNear(monthOf(word), tense, today), end: at + 1 };
  return YEAR.test(word) ? { value: daysOfYear(Number(word)), end: at + 1 } : null;
}

const skipArticle = (words: readonly TypedWord[], at: number): number => (wordAt(words, at) === 'the' ? at + 1 : at);

/** Reads "between March and May 2026" or "from Monday to Friday". */
function spanAt(words: readonly TypedWord[], at: number, time: QuestionTime): Reading<DayRange> | null {
  const first = namedPeriodAt(words, at + 1, 'from', time);
  if (first === null || !['and', 'to', 'until', 'through'].includes(wordAt(words, first.end))) return null;
  const last = namedPeriodAt(words, first.end + 1, 'from', time);
  return last === null ? null : { value: { from: first.value.first, to: last.value.last }, end: last.end };
}

/** Number of past years that a date without a year means, besides this year and the next. */
export const PAST_YEARS = 10;

function sameDays({ value, end }: Reading<{ month: number; day: number }>, today: number): Reading<DayRange> | null {
  const { year } = dateOf(today);
  const days = Array.from({ length: PAST_YEARS + 2 }, (_, index) =>
    validDay(year + 1 - index, value.month, value.day, end),
  ).flatMap((day) => (day === null ? [] : [day.value.first]));
  return days.length === 0 ? null : { value: { from: null, to: null, sameDays: days }, end };
}

/** Reads the days of meetings at a word of the query: "next week", "in June", "since March 3, 2026", "on Tuesday". */
export function dayRangeAt(words: readonly TypedWord[], at: number, time: QuestionTime): Reading<DayRange> | null {
  const opening = wordAt(words, at);
  if (opening === 'upcoming') return { value: { from: time.today, to: null }, end: at + 1 };
  if (opening === 'between' || opening === 'from') return spanAt(words, at, time);
  if (opening === 'on') {
    const day = datedAt(words, at + 1) === null ? dayOfMonthAt(words, at + 1) : null;
    if (day !== null) return sameDays(day, time.today);
  }
  const bound = BOUNDS[opening];
  if (bound !== undefined) {
    const period = namedPeriodAt(words, skipArticle(words, at + 1), opening, time);
    return period === null ? null : { value: bound(period.value), end: period.end };
  }
  const within = DURING.includes(opening) ? skipArticle(words, at + 1) : at;
  const isCertain = ['in', 'on', 'during'].includes(opening);
  const period = isCertain ? namedPeriodAt(words, within, opening, time) : plainPeriodAt(words, within, time);
  return period === null ? null : { value: { from: period.value.first, to: period.value.last }, end: period.end };
}
