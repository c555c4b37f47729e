/** One family of a Prometheus exposition, as strictly as the format has it. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (-?[0-9.eE+-]+|NaN|[+-]Inf)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/g;
const PARTS: Readonly<Record<MetricFamily['type'], readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/** Reads a text exposition; throws with the line for anything that a strict parser refuses. */
export function parseExposition(text: string): readonly MetricFamily[] {
  const families = new Map<
    string,
    { name: string; type: MetricFamily['type']; help: string; samples: MetricSample[] }
  >();
  const names = new Set<string>();
  let current: { name: string; type: MetricFamily['type']; help: string; samples: MetricSample[] } | undefined;
  let help: { readonly name: string; readonly text: string } | undefined;
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === 'HELP') {
      if (families.has(name)) throw new Error(`twice: ${line}`);
      help = { name, text: rest };
    } else if (word === 'TYPE') {
      if (help?.name !== name || !Object.hasOwn(PARTS, rest)) throw new Error(`no help before it, or no type: ${line}`);
      current = { name, type: rest as MetricFamily['type'], help: help.text, samples: [] };
      families.set(name, current);
    } else {
      const sample = SAMPLE.exec(line);
      if (sample === null || current === undefined) throw new Error(`no sample: ${line}`);
      if (!PARTS[current.type].some((part) => sample[1] === current!.name + part))
        throw new Error(`not of ${current.name}: ${line}`);
      const labels = Object.fromEntries([...(sample[2] ?? '').matchAll(LABEL)].map(([, key, value]) => [key!, value!]));
      const series = `${sample[1]} ${JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => a.localeCompare(b)))}`;
      if (names.has(series)) throw new Error(`twice: ${line}`);
      names.add(series);
      current.samples.push({ name: sample[1]!, labels, value: Number(sample[3]!.replace('Inf', 'Infinity')) });
    }
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family);
  return [...families.values()];
}

function checkHistogram({ name, samples }: MetricFamily): void {
  const without = ({ labels }: MetricSample) => JSON.stringify(Object.entries(labels).filter(([key]) => key !== 'le'));
  for (const count of samples.filter((sample) => sample.name === `${name}_count`)) {
    const buckets = samples.filter((sample) => sample.name === `${name}_bucket` && without(sample) === without(count));
    const values = buckets.map(({ value }) => value);
    if (values.some((value, index) => index > 0 && value < values[index - 1]!)) throw new Error(`${name} falls`);
    if (buckets.at(-1)?.labels['le'] !== '+Inf' || values.at(-1) !== count.value)
      throw new Error(`${name} does not end at +Inf`);
  }
}
