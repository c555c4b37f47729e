import { HOUR_MS } from '../../../domain/durations.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';

/** Milliseconds between two points, and of the whole line. */
export const POINT_EVERY_MS = 30_000;

/** What happened since the point before; a rate is of a second. */
interface Point {
  /** Milliseconds. */
  readonly at: number;
  readonly requests: number;
  readonly refusals: number;
  /** Of the read model that is furthest behind, in seconds; null where it could not be read. */
  readonly lag: number | null;
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);

/** Requests, refusals and lag of the last hour, as this process has seen them. */
export function createLastHour(totals: HttpMetrics['totals'], lagSeconds: () => Promise<number | null>, clock: Pick<Clock, 'now'>) {
  const counted = () => {
    const { buckets, refusals } = totals();
    return { at: clock.now(), requests: sum(buckets), refusals: sum(refusals.values()) };
  };
  let last = counted();
  let points: readonly Point[] = [];
  return {
    /** To be called every `POINT_EVERY_MS`. */
    async point(): Promise<void> {
      const before = last;
      const lag = await lagSeconds();
      const now = counted();
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
