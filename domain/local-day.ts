import { DAY_MS, HOUR_MS } from './durations.ts';

/** Outside this range time zones are ignored and the day is that of UTC. */
const [FIRST, LAST] = [Date.UTC(1000, 0, 2), Date.UTC(9999, 11, 30)];

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    });
    if (formats.size < 1000) formats.set(timeZone, format);
  }
  return format;
}

/** Returns the local calendar day at an instant (milliseconds), in days from 1970-01-01. The zone is an IANA name. */
export function localDay(instant: number, timeZone: string): number {
  if (!(instant >= FIRST && instant <= LAST)) return Math.floor(instant / DAY_MS);
  const [month, day, year] = formatOf(timeZone).format(instant).split('/').map(Number);
  return Date.UTC(year!, month! - 1, day) / DAY_MS;
}

/** Milliseconds of the longest possible calendar day in a time zone. */
export const LONGEST_DAY_MS = DAY_MS + 2 * HOUR_MS;

/** Returns the last millisecond of the local calendar day at an instant (milliseconds). */
export function endOfLocalDay(instant: number, timeZone: string): number {
  const day = localDay(instant, timeZone);
  let [last, after] = [instant, instant + LONGEST_DAY_MS];
  while (after - last > 1) {
    const middle = Math.floor((last + after) / 2);
    if (localDay(middle, timeZone) === day) last = middle;
    else after = middle;
  }
  return last;
}

/** Returns the date `YYYY-MM-DD` of a number of days from 1970-01-01. */
export function dateOfDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the days from 1970-01-01 to a date `YYYY-MM-DD`. */
export const dayOfDate = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;
