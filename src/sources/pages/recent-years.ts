import { lastPlausibleDay } from '../agendas/values.ts';

/**
 * Returns the first of January of the year before that of the newest day: a long archive is read from there on. Days that are too far ahead, which
 * are mistakes, do not count.
 */
export function firstRecentDay(days: readonly string[], now: number): string | null {
  const last = lastPlausibleDay(now);
  const newest = days.filter((day) => day <= last).reduce((max, day) => (day > max ? day : max), '');
  return newest === '' ? null : `${Number(newest.slice(0, 4)) - 1}-01-01`;
}
