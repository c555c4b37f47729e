import type { Registry } from 'prom-client';
import { CountedDurations, durationSeries } from './counted-durations.ts';

interface Series {
  /** Observations by bucket, not cumulated; the last is for what is above all bounds. */
  readonly counts: number[];
  sum: number;
}

const NAME = 'civic_http_request_duration_seconds';
const HELP = 'Time from a request to the end of its answer.';
/** Upper bounds of the buckets in seconds. */
export const DURATION_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

const noCounts = (): number[] => Array<number>(DURATION_BOUNDS.length + 1).fill(0);

/**
 * The histogram of answers. Observed on every request, so it counts in plain arrays: the library's own way of finding a series by its
 * labels costs a tenth of a hot public answer.
 */
export class RequestDurations {
  readonly #series = new Map<string, Map<number, Series>>();

  constructor(registry: Registry) {
    const values = async () =>
      [...this.#series].flatMap(([operation, byStatus]) =>
        [...byStatus].flatMap(([status, series]) => durationSeries(NAME, { operation, status: String(status) }, DURATION_BOUNDS, series)),
      );
    registry.registerMetric(new CountedDurations(NAME, HELP, ['operation', 'status'], values));
  }

  answered(operation: string, status: number, seconds: number): void {
    let ofOperation = this.#series.get(operation);
    if (ofOperation === undefined) this.#series.set(operation, (ofOperation = new Map()));
    let series = ofOperation.get(status);
    if (series === undefined) ofOperation.set(status, (series = { counts: noCounts(), sum: 0 }));
    let bucket = 0;
    while (bucket < DURATION_BOUNDS.length && seconds > DURATION_BOUNDS[bucket]!) bucket += 1;
    series.counts[bucket]! += 1;
    series.sum += seconds;
  }

  /** All answers by bucket, not cumulated; the last is for what is above all bounds. */
  counts(): readonly number[] {
    const sums = noCounts();
    for (const byStatus of this.#series.values()) {
      for (const { counts } of byStatus.values()) for (const [index, count] of counts.entries()) sums[index]! += count;
    }
    return sums;
  }
}
