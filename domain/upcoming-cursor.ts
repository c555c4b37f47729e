import { type CursorDamage, cursorPayload, cursorText, readTime, TIME_BYTES, UUID_BYTES, uuidBytes, uuidText } from './cursor.ts';

/** Hits on a page of the upcoming list, whichever form it is asked for in. */
export const UPCOMING_PAGE_SIZE = 10;

/** Longest accepted cursor, in characters. */
export const MAX_UPCOMING_CURSOR_LENGTH = 200;

/** The last hit on the page before, by the order of the upcoming list. Bound to nothing. Times are milliseconds since the epoch. */
export interface UpcomingCursor {
  readonly startsAt: number;
  readonly classifiedAt: number;
  readonly hitId: string;
}

const PAYLOAD_BYTES = 2 * TIME_BYTES + UUID_BYTES;

export function encodeUpcomingCursor({ startsAt, classifiedAt, hitId }: UpcomingCursor): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeBigInt64BE(BigInt(startsAt), 0);
  payload.writeBigInt64BE(BigInt(classifiedAt), TIME_BYTES);
  uuidBytes(hitId).copy(payload, 2 * TIME_BYTES);
  return cursorText('upcoming', payload);
}

/** The cursor, or why the text is none. Never throws. */
export function decodeUpcomingCursor(text: string): UpcomingCursor | CursorDamage {
  const payload = cursorPayload('upcoming', text, MAX_UPCOMING_CURSOR_LENGTH);
  if (typeof payload === 'string') return payload;
  if (payload.length !== PAYLOAD_BYTES) return 'damaged';
  const [startsAt, classifiedAt] = [readTime(payload, 0), readTime(payload, TIME_BYTES)];
  if (startsAt === undefined || classifiedAt === undefined) return 'damaged';
  return { startsAt, classifiedAt, hitId: uuidText(payload, 2 * TIME_BYTES) };
}
