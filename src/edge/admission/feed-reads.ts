import type { Clock } from '../../../domain/ports/clock.ts';
import type { FeedRead } from '../../../domain/ports/counts.ts';

/** Stores the last read of each key. If two reads compete, the later one counts. */
type StoreFeedReads = (reads: readonly FeedRead[]) => Promise<void>;

interface FeedReadsParts {
  readonly store: StoreFeedReads;
  readonly clock: Pick<Clock, 'now'>;
  readonly machineClock: Pick<Clock, 'sleep'>;
  readonly onFailure: (error: unknown) => void;
}

const EVERY_MS = 60_000;
const MAX_KEYS = 10_000;

/** Stores the last feed read of each key, at most once a minute for all keys. Requests do not wait for it. */
export function createFeedReads({ store, clock, machineClock, onFailure }: FeedReadsParts) {
  const ending = new AbortController();
  let waiting = new Map<string, FeedRead>();
  let storing: Promise<void> | undefined;
  const storeAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const reads = [...waiting.values()];
      waiting = new Map();
      await store(reads).catch(onFailure);
      await machineClock.sleep(EVERY_MS, ending.signal).catch(() => undefined);
    }
    storing = undefined;
  };
  return {
    read(keyId: string, unreadSince: number | null): void {
      if (waiting.size < MAX_KEYS || waiting.has(keyId))
        waiting.set(keyId, { keyId, readAt: clock.now(), unreadSince });
      storing ??= storeAll();
    },
    /** Stores the reads that were not stored yet. */
    async close(): Promise<void> {
      ending.abort(new Error('the service is shutting down'));
      await storing;
    },
  };
}
export type FeedReads = ReturnType<typeof createFeedReads>;
