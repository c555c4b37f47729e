import { Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from 'prom-client';
import { durationSeries } from './counted-durations.ts';

type Label = 'operation' | 'status';
type Described = MetricObjectWithValues<MetricValueWithName<Label>>;

interface Series {
  /** Observations by bucket, not cumulated; the last is for what is above all bounds. */
  readonly counts: number[];
  sum: number;
}

const NAME = 'civic_http_request_duration_seconds';
const HELP = 'Time from a request to the end of its answer.';
/** Upper bounds of the buckets in seconds. */
export const DURATION_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/**
 * The histogram of answers. Observed on every request, so it counts in plain arrays: the library's own way of finding a series by its
 * labels costs a tenth of a hot public answer.
 */
export class RequestDurations extends Histogram<Label> {
  readonly #series = new Map<string, Map<number, Series>>();

  constructor(registry: Registry) {
    super({
      name: NAME,
      help: HELP,
      labelNames: ['operation', 'status'],
      registers: [registry],
    });
  }

  answered(operation: string, status: number, seconds: number): void {
    let ofOperation = this.#series.get(operation);
    if (ofOperation === undefined) this.#series.set(operation, (ofOperation = new Map()));
    let series = ofOperation.get(status);
    if (series === undefined) ofOperation.set(status, (series = { counts: Array<number>(DURATION_BOUNDS.length + 1).fill(0), sum: 0 }));
    let bucket = 0;
    while (bucket < DURATION_BOUNDS.length && seconds > DURATION_BOUNDS[bucket]!) bucket += 1;
    series.counts[bucket]! += 1;
    series.sum += seconds;
  }

  /** All answers by bucket, not cumulated; the last is for what is above all bounds. */
  counts(): readonly number[] {
    const sums = Array<number>(DURATION_BOUNDS.length + 1).fill(0);
    for (const byStatus of this.#series.values()) {
      for (const { counts } of byStatus.values()) for (const [index, count] of counts.entries()) sums[index]! += count;
    }
    return sums;
  }

  override async get(): Promise<Described> {
    const values = [...this.#series].flatMap(([operation, byStatus]) =>
      [...byStatus].flatMap(([status, series]) =>
        durationSeries<Label>(NAME, { operation, status: String(status) }, DURATION_BOUNDS, series),
      ),
    );
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values } as unknown as Described;
  }

  /** What the text of the metrics is made of; the library's types do not tell of it. */
  getForPromString(): Promise<Described> {
    return this.get();
  }
}
