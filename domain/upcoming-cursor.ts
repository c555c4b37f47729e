import { cursorCodec, time, uuid } from './cursor.ts';

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

export const { encode: encodeUpcomingCursor, decode: decodeUpcomingCursor } = cursorCodec<UpcomingCursor>(
  'upcoming',
  { startsAt: time, classifiedAt: time, hitId: uuid },
  MAX_UPCOMING_CURSOR_LENGTH,
);
