import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { SharedCounts } from '../../../domain/ports/counts.ts';

export interface PublicLimit {
  readonly requests: number;
  readonly seconds: number;
}

export type PublicLimits = ReturnType<typeof createPublicLimits>;

/** Bounds the size of one exchange, even with many forged addresses. */
const MAX_EXCHANGED = 2_000;

/**
 * Limits requests per address and endpoint in fixed windows. Requests are counted in memory and never wait; `merge`
 * shares the counts with the other processes. States of the limiter:
 *
 * - window: starts at a multiple of its length on the clock. A request in a new window clears all tallies.
 * - tally: `own` requests of this process plus `others`. A request is refused when the sum reaches the limit.
 * - changed: tallies that have grown since the last exchange. The next `merge` sends them.
 * - evicted: over `maxCounted`, the least recently used tally is dropped and its client starts at zero.
 * - alone: the last exchange failed. Only this process's requests count until one succeeds.
 */
export function createPublicLimits(parts: {
  readonly limit: PublicLimit;
  readonly shared: SharedCounts;
  readonly logger: Logger;
  /** Maximum number of tallies. Above it the least recently used one is evicted. */
  readonly maxCounted?: number;
}) {
  const { limit, shared, logger, maxCounted = 100_000 } = parts;
  const length = limit.seconds * 1000;
  let window = 0;
  const changed = new Set<string>();
  /** Tallies by endpoint and address. */
  const tallies = new LRUCache<string, { own: number; others: number }>({
    max: maxCounted,
    dispose: (_tally, key) => changed.delete(key),
  });
  let forgottenUpTo = 0;
  let alone = false;
  const enterWindow = (now: number): void => {
    const start = now - (now % length);
    if (start === window) return;
    window = start;
    tallies.clear();
  };

  /** Returns the counts to exchange, addresses with several requests first: one request is far from any limit. */
  const selectCounts = (): ReadonlyMap<string, number> => {
    const chosen = new Map<string, number>();
    for (const isRepeated of [true, false]) {
      for (const key of changed) {
        if (chosen.size === MAX_EXCHANGED) return chosen;
        const { own } = tallies.peek(key)!;
        if (own > 1 === isRepeated) chosen.set(key, own);
      }
    }
    return chosen;
  };
  /** Exchanges these counts of the current window, and drops the counts of former windows once per window. */
  const exchange = async (counts: ReadonlyMap<string, number>): Promise<void> => {
    const exchanged = window;
    const others = await shared.exchange(exchanged, counts);
    if (exchanged > forgottenUpTo) {
      forgottenUpTo = exchanged;
      // The previous window stays: the clock of another process might be a little behind.
      await shared.forget(exchanged - length);
    }
    if (window !== exchanged) return;
    for (const [key, count] of others) {
      const tally = tallies.peek(key);
      if (tally !== undefined) tally.others = count;
    }
  };
  return {
    get counted() {
      return tallies.size;
    },
    /**
     * Counts a request and returns null, or returns the whole seconds until one is allowed again. `now` is clock
     * milliseconds.
     */
    take(endpoint: string, address: string, now: number): number | null {
      enterWindow(now);
      const key = `${endpoint} ${address}`;
      const tally = tallies.get(key) ?? { own: 0, others: 0 };
      if (tally.own + tally.others >= limit.requests) return Math.max(1, Math.ceil((window + length - now) / 1000));
      tally.own += 1;
      if (tally.own === 1) tallies.set(key, tally);
      changed.add(key);
      return null;
    },
    /** Exchanges counts with the other processes once. Never rejects: after a failure this process counts alone. */
    async merge(now: number): Promise<void> {
      enterWindow(now);
      const counts = selectCounts();
      if (counts.size === 0) return;
      for (const key of counts.keys()) changed.delete(key);
      try {
        await exchange(counts);
        if (alone) logger.info({}, 'public requests are counted together with the other processes again');
        alone = false;
      } catch (error) {
        if (!alone)
          logger.warn(
            { err: error },
            'public requests are counted by this process alone: the shared counts cannot be reached',
          );
        alone = true;
      }
    },
  };
}
