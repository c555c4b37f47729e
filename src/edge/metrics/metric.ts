import type { Metric, Registry } from 'prom-client';

/** Counts per bucket, as in `Tally`; the last count is for values above all bounds. */
interface Durations {
  readonly counts: readonly number[];
  readonly sum: number;
  readonly bounds: readonly number[];
}

type Value = number | Durations | null;
/** Values by label, or the single value of a metric without labels. An unknown value is null and left out. */
type Values = Value | Iterable<Series>;
type Series = readonly [labels: Readonly<Record<string, string>>, value: Value];

export interface Definition<Source> {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly read: (source: Source) => Values;
}

type ValueOf<Source> = {
  readonly [Member in keyof Source]: Source[Member] extends Value ? Member : never;
}[keyof Source];

const defining =
  (type: Definition<never>['type']) =>
  <Source>(name: string, help: string, read: ((source: Source) => Values) | ValueOf<Source>): Definition<Source> => ({
    type,
    name,
    help,
    read: typeof read === 'function' ? (read as (source: Source) => Values) : (source) => source[read] as Value,
  });

export const counter = defining('counter');
export const gauge = defining('gauge');
export const histogram = defining('histogram');

export const labeled = (label: string, entries: Iterable<readonly [string, Value]>): readonly Series[] =>
  Array.from(entries, ([name, value]) => [{ [label]: name }, value] as const);

export const ofNames = <Name extends string>(
  label: string,
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): readonly Series[] => names.map((name) => [{ [label]: name }, valueOf(name)] as const);

/** Defines metrics of each row of a list, labeled with the name of the row. */
export function ofEach<Row extends { readonly name: string }, Source>(
  label: string,
  rowsOf: (source: Source) => readonly Row[],
  definitions: readonly Definition<Row>[],
): readonly Definition<Source>[] {
  return definitions.map(({ read, ...definition }) => ({
    ...definition,
    read: (source) => rowsOf(source).map((row) => [{ [label]: row.name }, read(row) as Value] as const),
  }));
}

/**
 * Registers metrics that read their values at each scrape. The library's own classes would count a second time and
 * would still export a value that became unknown.
 */
export function register<Source>(
  registry: Registry,
  definitions: readonly Definition<Source>[],
  source: () => Source | null | Promise<Source | null>,
): void {
  for (const { type, name, help, read } of definitions) {
    const get = async () => {
      const facts = await source();
      const values = facts === null ? null : read(facts);
      const series =
        typeof values === 'object' && values !== null && Symbol.iterator in values
          ? [...values]
          : [[{}, values] as const];
      return { type, name, help, values: series.flatMap((each) => listSamples(name, each)) };
    };
    // The registry calls only `get`, but its types accept only the classes of the library.
    registry.registerMetric({ name, get } as unknown as Metric);
  }
}

function listSamples(metricName: string, [labels, value]: Series) {
  if (value === null) return [];
  if (typeof value === 'number') return [{ metricName, labels, value }];
  let cumulative = 0;
  const buckets = value.counts.map((count, index) => {
    cumulative += count;
    return {
      metricName: `${metricName}_bucket`,
      labels: { le: value.bounds[index] ?? '+Inf', ...labels },
      value: cumulative,
    };
  });
  return [
    ...buckets,
    { metricName: `${metricName}_sum`, labels, value: value.sum },
    { metricName: `${metricName}_count`, labels, value: cumulative },
  ];
}
