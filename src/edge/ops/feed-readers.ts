import type { Clock } from '../../../domain/ports/clock.ts';

/** Accounts that are remembered; beyond it, the one that has not read for longest is forgotten. */
const MAX_READERS = 1_000;
const TWO_DAYS_MS = 2 * 86_400_000;
/** Of a short retention, so that a customer at the head is not warned about. */
const SHARE = 1 / 10;

interface FeedReader {
  readonly accountId: string;
  /** Clock milliseconds. */
  readonly lastReadAt: number;
  /** When the cursor that it read from expires, in clock milliseconds: its next change is then past the replay retention. */
  readonly expiresAt: number;
}

export type FeedReaders = ReturnType<typeof createFeedReaders>;
/** How far the customers of this process have read the feed, of each account where it stood last. */
export function createFeedReaders(clock: Pick<Clock, 'now'>, retentionMs: number) {
  const readers = new Map<string, FeedReader>();
  return {
    /** Milliseconds before its end in which a cursor is about to expire. */
    littleMs: Math.min(TWO_DAYS_MS, retentionMs * SHARE),
    /** An account has read from a cursor. `unreadSince` is the time of the next change after it; null at the head. */
    read(accountId: string, unreadSince: number | null): void {
      const lastReadAt = clock.now();
      // The map is in the order of the last reads.
      readers.delete(accountId);
      readers.set(accountId, { accountId, lastReadAt, expiresAt: (unreadSince ?? lastReadAt) + retentionMs });
      if (readers.size > MAX_READERS) readers.delete(readers.keys().next().value!);
    },
    /** Those whose cursors expire first. */
    oldest: (count: number): readonly FeedReader[] =>
      [...readers.values()].toSorted((one, other) => one.expiresAt - other.expiresAt).slice(0, count),
  };
}
