import { DAY_MS } from '../../../domain/durations.ts';
import { MONTHS } from '../../../domain/months.ts';

/** First and last day, in days from 1970-01-01. */
export interface Days {
  readonly first: number;
  readonly last: number;
}

const WEEKDAYS: readonly string[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const SHORTEST_MONTH = 3;
export const WEEK = 7;

/** Returns the month of a name, "sept" or "june", from 0; -1 for another word. */
export const monthOf = (word: string): number =>
  word.length < SHORTEST_MONTH
    ? -1
    : word === 'sept'
      ? 8
      : MONTHS.findIndex((month) => month === word || month.slice(0, 3) === word);

/** Returns the weekday of a name, Monday is 0; -1 for another word. */
export const weekdayOf = (word: string): number => WEEKDAYS.indexOf(word);

/** Returns the day of a calendar date; months and days beyond their ends count on. */
export const dayOf = (year: number, month: number, day: number): number =>
  new Date(0).setUTCFullYear(year, month, day) / DAY_MS;

export function dateOf(day: number): { readonly year: number; readonly month: number } {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() };
}

export const daysOfMonth = (year: number, month: number): Days => ({
  first: dayOf(year, month, 1),
  last: dayOf(year, month + 1, 1) - 1,
});

export const daysOfYear = (year: number): Days => ({ first: dayOf(year, 0, 1), last: dayOf(year + 1, 0, 1) - 1 });

/** Returns the Monday of the week of a day. January 1, 1970 was a Thursday. */
export const mondayOf = (day: number): number => day - ((((day + 3) % WEEK) + WEEK) % WEEK);
