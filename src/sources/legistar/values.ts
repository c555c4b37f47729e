import { DateTime } from 'luxon';
import { DAY_MS, MINUTE_MS } from '../../../domain/durations.ts';

const LINE_BREAK = /\r\n?|[\u2028\u2029\v\f]/g;
const INVISIBLE = /[\u200b\ufeff]/g;
const CONTROL = /\p{Cc}/gu;

export type Text = string | null | undefined;

/** One line of text: control characters and runs of white space become single spaces. Null when nothing is left. */
export function oneLine(value: Text): string | null {
  const text = (value ?? '').toWellFormed().normalize('NFC');
  return text.replace(INVISIBLE, '').replace(CONTROL, ' ').replace(/\s+/g, ' ').trim() || null;
}

/** Text with its line breaks kept as line feeds; other control characters become spaces. Null when nothing is left. */
export function paragraphs(value: Text): string | null {
  const lines = (value ?? '').replace(LINE_BREAK, '\n').split('\n');
  const text = lines.map((line) => oneLine(line) ?? '').join('\n');
  return text.replace(/\n{3,}/g, '\n\n').trim() || null;
}

/** Characters that `URL` leaves unencoded in places, although RFC 3986 does not allow them. */
const UNENCODED = /[|^`{}\\"<>]|%(?![0-9a-fA-F]{2})/g;

/** A public http or https address, percent-encoded; null for another one. Encoding is idempotent: each run gives the same address. */
export function publicUrl(value: Text): string | null {
  const parsed = URL.parse(value?.trim() ?? '');
  if (parsed === null || !['https:', 'http:'].includes(parsed.protocol)) return null;
  if (!parsed.hostname.includes('.') || parsed.username !== '' || parsed.password !== '') return null;
  return parsed.href.replace(UNENCODED, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
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
const TWELVE_HOURS = /^(\d{1,2})(?:[:.](\d{2}))?\s*([ap])\.?\s*m\.?$/i;
const AFTERNOON_HOURS = /^(1[3-9]|2[0-3]):(\d{2})$/;

/** The calendar day of an `EventDate`, a local midnight without a zone; null for another text. */
export function localDate(eventDate: Text): string | null {
  const day = DATE.exec(eventDate?.trim() ?? '')?.[1];
  return day !== undefined && DateTime.fromISO(day, { zone: 'utc' }).isValid ? day : null;
}

/** A notice behind a time: "2:00 PM - CANCELLED". */
const NOTICE = /(?: |[-–—(*])+cancell?ed[)*]*$/i;
/** A longer text is no time. */
const MAX_TIME = 100;

/**
 * The start of a span. A start that names no half of the day ("8:30-9:30 AM") has that of the end, where it is then before the end; null else.
 */
function startOfSpan(start: string, end: string): number | null {
  const ends = minutesOfDay(end);
  const stated = ends === null ? null : minutesOfDay(start);
  if (ends === null || stated !== null) return stated;
  const half = /[ap]\.?\s*m\.?$/i.exec(end)?.[0];
  const derived = half === undefined ? null : minutesOfDay(`${start} ${half}`);
  return derived !== null && derived < ends ? derived : null;
}

/** Minutes after midnight of a time typed by hand ("9:00 AM", "9 a.m.", "Noon"), of a span its start; null when it is missing or ambiguous. */
export function minutesOfDay(eventTime: Text): number | null {
  if ((eventTime ?? '').length > MAX_TIME) return null;
  const text = (eventTime ?? '').replace(/\s+/g, ' ').trim().replace(NOTICE, '');
  const [start, end, ...further] = text.split(/\s*[-–—]\s*|\s+to\s+/i);
  if (end !== undefined) return further.length > 0 ? null : startOfSpan(start ?? '', end);
  if (/^(?:12(?::00)? )?noon$/i.test(text)) return 12 * 60;
  const twelve = TWELVE_HOURS.exec(text);
  if (twelve !== null) {
    const hour = Number(twelve[1]);
    const minute = Number(twelve[2] ?? 0);
    if (hour < 1 || hour > 12 || minute > 59) return null;
    return ((hour % 12) + (twelve[3]?.toLowerCase() === 'p' ? 12 : 0)) * 60 + minute;
  }
  const afternoon = AFTERNOON_HOURS.exec(text);
  if (afternoon === null || Number(afternoon[2]) > 59) return null;
  return Number(afternoon[1]) * 60 + Number(afternoon[2]);
}

/** The time of the day of "2024-12-03T10:00:00" as `minutesOfDay` reads it; null for midnight, where no time is stated, and for another text. */
export function twelveHours(dateTime: string): string | null {
  const [, hours, minutes] = /T(\d{2}):(\d{2})/.exec(dateTime) ?? [];
  if (hours === undefined || minutes === undefined || `${hours}${minutes}` === '0000') return null;
  return `${Number(hours) % 12 || 12}:${minutes} ${Number(hours) < 12 ? 'AM' : 'PM'}`;
}

/** In UTC, ISO 8601. A time that the clocks skip is read as before the change (2:30 becomes 3:30); of one shown twice it is the first. */
export function instantOf(day: string, minutes: number, zone: string): string {
  const wall = DateTime.fromISO(day, { zone: 'utc' }).plus({ minutes }).toMillis();
  const readings = [-1, 1].map((days) => {
    const offset = DateTime.fromMillis(wall + days * DAY_MS, { zone }).offset;
    return wall - offset * MINUTE_MS;
  });
  const shown = readings.filter((reading) => {
    const local = DateTime.fromMillis(reading, { zone });
    return reading + local.offset * MINUTE_MS === wall;
  });
  return new Date(shown.length === 0 ? (readings[0] ?? wall) : Math.min(...shown)).toISOString();
}

/** A stamp that the source states in UTC without saying so, as ISO 8601 ending in Z; null when it is missing or invalid. */
export function utcStamp(value: Text): string | null {
  if (value === null || value === undefined) return null;
  const time = DateTime.fromISO(value.trim(), { zone: 'utc' });
  return time.isValid ? new Date(time.toMillis()).toISOString() : null;
}
