import { type CursorDamage, cursorPayload, cursorText } from './cursor-text.ts';

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

const TIME_BYTES = 8;
const UUID_BYTES = 16;
const PAYLOAD_BYTES = 2 * TIME_BYTES + UUID_BYTES;
/** No `Date` is further from the epoch. */
const FURTHEST = 8_640_000_000_000_000n;

export const encodeUpcomingCursor = ({ startsAt, classifiedAt, hitId }: UpcomingCursor): string => {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeBigInt64BE(BigInt(startsAt), 0);
  payload.writeBigInt64BE(BigInt(classifiedAt), TIME_BYTES);
  payload.write(hitId.replaceAll('-', ''), 2 * TIME_BYTES, 'hex');
  return cursorText('upcoming', payload);
};

/** The cursor, or why the text is none. Never throws. */
export const decodeUpcomingCursor = (text: string): UpcomingCursor | CursorDamage => {
  const payload = cursorPayload('upcoming', text, MAX_UPCOMING_CURSOR_LENGTH);
  if (typeof payload === 'string') return payload;
  if (payload.length !== PAYLOAD_BYTES) return 'damaged';
  const [startsAt, classifiedAt] = [payload.readBigInt64BE(0), payload.readBigInt64BE(TIME_BYTES)];
  if ([startsAt, classifiedAt].some((time) => time > FURTHEST || time < -FURTHEST)) return 'damaged';
  const hitId = payload.toString('hex', 2 * TIME_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { startsAt: Number(startsAt), classifiedAt: Number(classifiedAt), hitId };
};
