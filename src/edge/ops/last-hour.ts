import { HOUR_MS } from '../../../domain/durations.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';

/** Milliseconds between two points, and of the whole chart. */
export const POINT_EVERY_MS = 30_000;

/** Figures since the previous point. Rates are per second. */
interface Point {
  /** Milliseconds. */
  readonly at: number;
  readonly requests: number;
  readonly refusals: number;
  /** Seconds that the slowest read model is behind; null if unknown. */
  readonly lag: number | null;
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);

/** Records requests, refusals and lag of the last hour in this process. */
export function createLastHour(
  totals: HttpMetrics['totals'],
  lagSeconds: () => Promise<number | null>,
  clock: Pick<Clock, 'now'>,
) {
  const sample = () => {
    const { buckets, refusals } = totals();
    return { at: clock.now(), requests: sum(buckets), refusals: sum(refusals.values()) };
  };
  let last = sample();
  let points: readonly Point[] = [];
  return {
    /** Adds a point. Call it every `POINT_EVERY_MS`. */
    async point(): Promise<void> {
      const before = last;
      const lag = await lagSeconds();
      const now = sample();
      const seconds = Math.max(1, now.at - last.at) / 1000;
      const point = {
        at: now.at,
        requests: (now.requests - before.requests) / seconds,
        refusals: (now.refusals - before.refusals) / seconds,
        lag,
      };
      points = [...points.filter(({ at }) => at > now.at - HOUR_MS && at < now.at), point];
      last = now;
    },
    read: (): readonly Point[] => points,
  };
}

export type LastHour = ReturnType<typeof createLastHour>;
