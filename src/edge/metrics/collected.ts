import { Counter, Gauge, type Registry } from 'prom-client';

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
