import { DateTime } from 'luxon';
import { DAY_MS, MINUTE_MS } from '../../../domain/durations.ts';
import { beginningOf } from '../../../domain/text/source-text.ts';
import { isOwnZone, type LocalDay, readTime } from './notices/clock-time.ts';

const LINE_BREAK = /\r\n?|[\u2028\u2029\v\f]/g;

export type Text = string | null | undefined;

/** One line of a plain text: runs of white space become single spaces. Null when nothing is left. */
export const oneLine = (value: Text): string | null => (value ?? '').replace(/\s+/g, ' ').trim() || null;

/** Characters of a title, a place or a name: a page of a hundred records, which contain several, has less than a megabyte. */
const MAX_SHORT_LINE = 1_000;

/** The beginning of one line of a plain text, at most 1,000 characters. Null when nothing is left. */
export function shortLine(value: Text): string | null {
  const line = oneLine(value);
  return line === null ? null : beginningOf(line, MAX_SHORT_LINE);
}

/** Returns the title of a meeting, or the name of its body if it has none. */
export const meetingTitle = (title: Text, bodyName: string): string =>
  shortLine(title) ?? beginningOf(bodyName, MAX_SHORT_LINE);

/** A plain text with its line breaks as line feeds. Null when nothing is left. */
export function paragraphs(value: Text): string | null {
  const lines = (value ?? '').replace(LINE_BREAK, '\n').split('\n');
  const text = lines.map((line) => oneLine(line) ?? '').join('\n');
  return text.replace(/\n{3,}/g, '\n\n').trim() || null;
}

/** Characters that `URL` leaves unencoded in places, although RFC 3986 does not allow them. */
const UNENCODED = /[|^`{}\\"<>]|%(?![0-9a-fA-F]{2})/g;

/** A longer address is not published. */
const MAX_ADDRESS = 8_000;

/** A public http or https address, percent-encoded; null for another one. Encoding is idempotent: each run returns the same address. */
export function publicUrl(value: Text): string | null {
  if ((value ?? '').length > MAX_ADDRESS) return null;
  const parsed = URL.parse(value?.trim() ?? '');
  if (parsed === null || !['https:', 'http:'].includes(parsed.protocol)) return null;
  if (!parsed.hostname.includes('.') || parsed.username !== '' || parsed.password !== '') return null;
  return parsed.href.replace(
    UNENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['txt', 'text/plain'],
]);

export const mediaTypeOf = (fileName: string | null): string | null =>
  MEDIA_TYPES.get(/\.([a-z]{3,4})$/i.exec(fileName ?? '')?.[1]?.toLowerCase() ?? '') ?? null;

const DATE = /^(\d{4}-\d{2}-\d{2})(?:T|$)/;

/** The calendar day of an `EventDate`, a local midnight without a zone; null for another text. */
export function localDate(eventDate: Text): string | null {
  const day = DATE.exec(eventDate?.trim() ?? '')?.[1];
  return day !== undefined && DateTime.fromISO(day, { zone: 'utc' }).isValid ? day : null;
}

/** The first day on which a meeting can be. Sources write the years 1 and 1900 where they have no date. */
export const FIRST_PLAUSIBLE_DAY = '1990-01-01';
const PLAUSIBLE_YEARS_AHEAD = 3;

/** The last day on which a meeting can be, at a time in milliseconds. */
export const lastPlausibleDay = (now: number): string =>
  DateTime.fromMillis(now, { zone: 'utc' }).plus({ years: PLAUSIBLE_YEARS_AHEAD }).toFormat('yyyy-MM-dd');

/**
 * Minutes after midnight of a time typed by hand ("9:00 AM", "13:00:00", "6 pm (note new time)"), of a span its start. Null when it is missing or
 * not certain, for midnight, which sources write if no time was entered, and for a time in the zone of another place than `local`.
 */
export function minutesOfDay(eventTime: Text, local?: LocalDay): number | null {
  const time = readTime(oneLine(eventTime) ?? '');
  if (time === null || time.minutes === 0) return null;
  return local === undefined || time.zones.every((zone) => isOwnZone(zone, local)) ? time.minutes : null;
}

/** The time of the day of "2024-12-03T10:00:00" as `minutesOfDay` reads it; null for midnight, which means no time, and for another text. */
export function toTwelveHourTime(dateTime: string): string | null {
  const [, hours, minutes] = /T([01]\d|2[0-3]):([0-5]\d)/.exec(dateTime) ?? [];
  if (hours === undefined || minutes === undefined || `${hours}${minutes}` === '0000') return null;
  return `${Number(hours) % 12 || 12}:${minutes} ${Number(hours) < 12 ? 'AM' : 'PM'}`;
}

/** Returns an instant in UTC, ISO 8601. A time that the clocks skip is read as before the change (2:30 becomes 3:30); a time that occurs twice is the first one. */
export function instantOf(day: string, minutes: number, zone: string): string {
  const wall = DateTime.fromISO(day, { zone: 'utc' }).plus({ minutes }).toMillis();
  const readings = [-1, 1].map((days) => {
    const offset = DateTime.fromMillis(wall + days * DAY_MS, { zone }).offset;
    return wall - offset * MINUTE_MS;
  });
  const visible = readings.filter((reading) => {
    const local = DateTime.fromMillis(reading, { zone });
    return reading + local.offset * MINUTE_MS === wall;
  });
  return new Date(visible.length === 0 ? (readings[0] ?? wall) : Math.min(...visible)).toISOString();
}

/** A stamp that the source states in UTC without saying so, as ISO 8601 ending in Z; null when it is missing or invalid. */
export function utcStamp(value: Text): string | null {
  if (value === null || value === undefined) return null;
  const time = DateTime.fromISO(value.trim(), { zone: 'utc' });
  return time.isValid ? new Date(time.toMillis()).toISOString() : null;
}
