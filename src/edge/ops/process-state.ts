import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { OfProcess } from './ops-state.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { DURATION_BOUNDS, type RequestTotals } from '../metrics/http-metrics.ts';

const SAMPLED_EVERY_MS = 20;
const NANOSECONDS = 1e9;

export interface ProcessState {
  read(): OfProcess;
  close(): void;
}

/** State of this process. */
export function watchProcess(
  { role, version }: { readonly role: string; readonly version: string },
  recent: Pick<RecentFigures, 'read'>,
): ProcessState {
  const delay = monitorEventLoopDelay({ resolution: SAMPLED_EVERY_MS });
  delay.enable();
  return {
    read() {
      const { rss, heapUsed } = process.memoryUsage();
      const stalledSeconds = Math.max(0, delay.max / NANOSECONDS - SAMPLED_EVERY_MS / 1000);
      delay.reset();
      return {
        role,
        version,
        pid: process.pid,
        uptimeSeconds: process.uptime(),
        residentBytes: rss,
        heapBytes: heapUsed,
        stalledSeconds,
        ...recent.read(),
      };
    },
    close: () => void delay.disable(),
  };
}

type Recent = Pick<OfProcess, 'requestsPerSecond' | 'p95Seconds' | 'refusals' | 'refusalsSpanSeconds'>;

interface RecentFigures {
  /** Remembers the totals of this moment; to be called every `SAMPLE_EVERY_MS`. */
  sample(): void;
  read(): Recent;
}

export const SAMPLE_EVERY_MS = 5_000;
const RATE_MS = 10_000;
const QUANTILE_MS = 60_000;
const REFUSALS_MS = 300_000;

/** Converts counts that only grow into those of the last minutes: nothing is done for a request, and what is kept has a bound. */
export function createRecentFigures(totals: () => RequestTotals, clock: Pick<Clock, 'now'>): RecentFigures {
  const begun = { at: clock.now(), ...totals() };
  let samples = [begun];
  return {
    sample() {
      const at = clock.now();
      samples = [...samples.filter((each) => each.at > at - REFUSALS_MS - SAMPLE_EVERY_MS && each.at <= at), { at, ...totals() }];
    },
    read() {
      const now = clock.now();
      const current = totals();
      /** The youngest sample at least so old, else the oldest. */
      const before = (age: number) => samples.findLast(({ at }) => at <= now - age) ?? samples[0] ?? begun;
      const rated = before(RATE_MS);
      const elapsed = (now - rated.at) / 1000;
      const refused = before(REFUSALS_MS);
      return {
        requestsPerSecond: elapsed > 0 ? (current.requests - rated.requests) / elapsed : null,
        p95Seconds: quantile(0.95, current.buckets, before(QUANTILE_MS).buckets),
        refusals: [...current.refusals]
          .map(([code, count]) => ({ code, count: count - (refused.refusals.get(code) ?? 0) }))
          .filter(({ count }) => count > 0)
          .toSorted((a, b) => b.count - a.count || a.code.localeCompare(b.code)),
        refusalsSpanSeconds: Math.max(0, (now - refused.at) / 1000),
      };
    },
  };
}

/** The upper bound of the bucket that the quantile falls into, interpolated within it; above the last bound it is that bound. */
function quantile(of: number, current: readonly number[], before: readonly number[]): number | null {
  const counts = current.map((count, index) => count - (before[index] ?? 0));
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all <= 0) return null;
  let passed = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && passed + count >= of * all) {
      const upper = DURATION_BOUNDS[index];
      if (upper === undefined) break;
      const lower = DURATION_BOUNDS[index - 1] ?? 0;
      return lower + ((of * all - passed) / count) * (upper - lower);
    }
    passed += count;
  }
  return DURATION_BOUNDS.at(-1)!;
}
