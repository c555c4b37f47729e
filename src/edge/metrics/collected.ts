import { Counter, Gauge, Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from 'prom-client';
import type { Tally } from '../../../domain/process-figures.ts';

/** Values of one metric by their labels. A value that is not known is left out. */
export type Series = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** A metric without labels: one value, or none while it is null. */
export const one = (value: number | null): Series => (value === null ? [] : [[{}, value]]);

interface Description {
  readonly name: string;
  readonly help: string;
  readonly label?: string | undefined;
}

const collecting =
  (Metric: typeof Gauge) =>
  (registry: Registry, { name, help, label }: Description, read: () => Series | Promise<Series>): void =>
    registry.registerMetric(
      new Metric<string>({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers: [],
        async collect() {
          const series = await read();
          // `reset` would leave a metric without labels at 0.
          if (label === undefined) this.remove();
          else this.reset();
          for (const [labels, value] of series) this.inc(labels, value);
        },
      }),
    );

/** Registers a gauge whose values are read at each scrape. */
export const collectGauge = collecting(Gauge);

/** Registers a counter whose values are read at each scrape. */
export const collectCounter = collecting(Counter as unknown as typeof Gauge);

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
