import { Histogram, type MetricObjectWithValues, type MetricValueWithName } from 'prom-client';
import type { Tally } from '../../../domain/process-figures.ts';

/** A histogram that is counted elsewhere: it is asked for when the metrics are read. */
export class CountedDurations<Label extends string> extends Histogram<Label> {
  readonly #description: { readonly name: string; readonly help: string };
  readonly #read: () => Promise<readonly MetricValueWithName<Label>[]>;

  constructor(name: string, help: string, labelNames: readonly Label[], read: () => Promise<readonly MetricValueWithName<Label>[]>) {
    super({ name, help, labelNames: [...labelNames], registers: [] });
    this.#description = { name, help };
    this.#read = read;
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<Label>>> {
    const values = await this.#read();
    return { ...this.#description, type: 'histogram', aggregator: 'first', values } as unknown as MetricObjectWithValues<
      MetricValueWithName<Label>
    >;
  }

  /** What the text of the metrics is made of; the library's types do not have it. */
  getForPromString(): Promise<MetricObjectWithValues<MetricValueWithName<Label>>> {
    return this.get();
  }
}

/** One series of a histogram: its buckets added up, their sum and their count. */
export function durationSeries<Label extends string>(
  name: string,
  labels: Readonly<Record<Label, string>>,
  bounds: readonly number[],
  { counts, sum }: Pick<Tally, 'sum'> & { readonly counts: readonly number[] },
): MetricValueWithName<Label>[] {
  let reached = 0;
  const buckets = counts.map((count, index) => {
    reached += count;
    return { metricName: `${name}_bucket`, labels: { le: bounds[index] ?? '+Inf', ...labels }, value: reached };
  });
  return [...buckets, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: reached }];
}
