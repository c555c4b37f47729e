import type { Logger } from '../../../domain/ports/logger.ts';
import type { SharedCounts } from '../../../domain/ports/counts.ts';

export interface PublicLimit {
  readonly requests: number;
  readonly seconds: number;
}

export type PublicLimits = ReturnType<typeof createPublicLimits>;

/** Bounds the statement of one exchange, also with many forged addresses. */
const MAX_EXCHANGED = 2_000;

/** Fixed windows per address and endpoint, aligned to the clock and counted in the process: no request waits. `merge` shares the counts. */
export function createPublicLimits(parts: {
  readonly limit: PublicLimit;
  readonly shared: SharedCounts;
  readonly logger: Logger;
  /** Beyond it the one that has not asked for longest is forgotten. */
  readonly maxCounted?: number;
}) {
  const { limit, shared, logger, maxCounted = 100_000 } = parts;
  const length = limit.seconds * 1000;
  let window = 0;
  /** In the order of their last requests. */
  const tallies = new Map<string, { own: number; others: number }>();
  const changed = new Set<string>();
  let forgotten = 0;
  let alone = false;
  const turnTo = (now: number): void => {
    const start = now - (now % length);
    if (start === window) return;
    window = start;
    tallies.clear();
    changed.clear();
  };
  let latest = '';
  const tallyOf = (key: string) => {
    const known = tallies.get(key);
    // It is the last already: most requests follow one of the same address.
    if (known !== undefined && key === latest) return known;
    latest = key;
    const tally = known ?? { own: 0, others: 0 };
    // Addresses with repeated requests stay in memory; single-use addresses are evicted.
    tallies.delete(key);
    tallies.set(key, tally);
    if (tallies.size > maxCounted) {
      const [oldest] = tallies.keys();
      tallies.delete(oldest!);
      changed.delete(oldest!);
    }
    return tally;
  };

  /** Repeated addresses first: an address with one request is far from any limit. */
  const worthExchanging = (): ReadonlyMap<string, number> => {
    const chosen = new Map<string, number>();
    for (const again of [true, false]) {
      for (const key of changed) {
        if (chosen.size === MAX_EXCHANGED) return chosen;
        const { own } = tallies.get(key)!;
        if (own > 1 === again) chosen.set(key, own);
      }
    }
    return chosen;
  };
  return {
    get counted() {
      return tallies.size;
    },
    /** Null once counted, else the whole seconds until a request is allowed again. `now` is clock milliseconds. */
    take(endpoint: string, address: string, now: number): number | null {
      turnTo(now);
      const key = `${endpoint} ${address}`;
      const tally = tallyOf(key);
      if (tally.own + tally.others >= limit.requests) return Math.max(1, Math.ceil((window + length - now) / 1000));
      tally.own += 1;
      changed.add(key);
      return null;
    },
    /** Exchanges counts with the other processes, once. Never rejects: without them this process counts alone. */
    async merge(now: number): Promise<void> {
      turnTo(now);
      const counts = worthExchanging();
      if (counts.size === 0) return;
      const asked = window;
      for (const key of counts.keys()) changed.delete(key);
      try {
        const others = await shared.exchange(asked, counts);
        if (asked > forgotten) {
          forgotten = asked;
          // Not the window before this one: another process's clock may be a little behind.
          await shared.forget(asked - length);
        }
        if (alone) logger.info({}, 'public requests are counted together with the other processes again');
        alone = false;
        if (window !== asked) return;
        for (const [key, count] of others) {
          const tally = tallies.get(key);
          if (tally !== undefined) tally.others = count;
        }
      } catch (error) {
        if (!alone) logger.warn({ err: error }, 'public requests are counted by this process alone: the shared counts cannot be reached');
        alone = true;
      }
    },
  };
}
