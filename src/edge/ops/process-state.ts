import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../../domain/ports/clock.ts';
import { FIGURE_BOUNDS } from '../../../plumbing/process-figures.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';

const DELAY_RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;
export const SAMPLE_EVERY_MS = 5_000;
const RATE_MS = 10_000;
const QUANTILE_MS = 60_000;
const REFUSALS_MS = 300_000;

export type ProcessState = ReturnType<typeof watchProcess>;
/** Computes figures of the last minutes from samples of counters, so that a request costs nothing. */
export function watchProcess(
  program: { readonly role: string; readonly version: string },
  totals: HttpMetrics['totals'],
  clock: Pick<Clock, 'now'>,
) {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  const begun = { at: clock.now(), ...totals() };
  let samples = [begun];
  return {
    /** Takes a sample. Call it every `SAMPLE_EVERY_MS`. */
    sample(): void {
      const at = clock.now();
      samples = [
        ...samples.filter((each) => each.at > at - REFUSALS_MS - SAMPLE_EVERY_MS && each.at <= at),
        { at, ...totals() },
      ];
    },
    read() {
      const now = clock.now();
      const current = totals();
      /** Returns the newest sample of at least this age, else the oldest. */
      const before = (age: number) => samples.findLast(({ at }) => at <= now - age) ?? samples[0] ?? begun;
      const rated = before(RATE_MS);
      const elapsed = (now - rated.at) / 1000;
      const refused = before(REFUSALS_MS);
      const { rss, heapUsed } = process.memoryUsage();
      const stalledSeconds = Math.max(0, delay.max / NANOSECONDS - DELAY_RESOLUTION_MS / 1000);
      delay.reset();
      return {
        ...program,
        pid: process.pid,
        uptimeSeconds: process.uptime(),
        residentBytes: rss,
        heapBytes: heapUsed,
        /** Longest delay of the event loop since the last read. */
        stalledSeconds,
        /** Null until measured. */
        requestsPerSecond: elapsed > 0 ? sum(since(current.buckets, rated.buckets)) / elapsed : null,
        /** 95th percentile of the answers of the last minute; null without answers. */
        p95Seconds: quantile(0.95, since(current.buckets, before(QUANTILE_MS).buckets)),
        refusals: [...current.refusals]
          .map(([code, count]) => ({ code, count: count - (refused.refusals.get(code) ?? 0) }))
          .filter(({ count }) => count > 0)
          .toSorted((a, b) => b.count - a.count || a.code.localeCompare(b.code)),
        refusalsSpanSeconds: Math.max(0, (now - refused.at) / 1000),
      };
    },
    close: (): void => void delay.disable(),
  };
}

const since = (current: readonly number[], before: readonly number[]) =>
  current.map((count, index) => count - before[index]!);
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Estimates a quantile by interpolating within its bucket. Above the last bound it returns that bound. */
function quantile(of: number, counts: readonly number[]): number | null {
  const all = sum(counts);
  if (all <= 0) return null;
  let passed = 0;
  for (const [index, upper] of FIGURE_BOUNDS.entries()) {
    const count = counts[index]!;
    if (count > 0 && passed + count >= of * all) {
      const lower = FIGURE_BOUNDS[index - 1] ?? 0;
      return lower + ((of * all - passed) / count) * (upper - lower);
    }
    passed += count;
  }
  return FIGURE_BOUNDS.at(-1)!;
}
