import type { Registry } from 'prom-client';
import { FIGURE_BOUNDS, Tally } from '../../../plumbing/process-figures.ts';
import { counter, histogram, labeled, register } from './metric.ts';

/** Upper bounds of the buckets of tool calls, in seconds. */
const TOOL_BOUNDS = [0.0025, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10];

export type HttpMetrics = ReturnType<typeof createHttpMetrics>;
/** Counts in plain maps: looking up a series by its labels in the library costs a tenth of a hot public answer. */
export function createHttpMetrics(registry: Registry) {
  const answers = new Durations(FIGURE_BOUNDS);
  const tools = new Durations(TOOL_BOUNDS);
  const [items, softFailures, connections, refusals] = [new Counts(), new Counts(), new Counts(), new Counts()];
  const counts = (name: string, help: string, label: string, of: Counts) =>
    counter(name, help, () => labeled(label, of));
  const definitions = [
    histogram('civic_http_request_duration_seconds', 'Time from a request to the end of its answer.', () =>
      answers.series('operation', 'status'),
    ),
    counts('civic_items_served_total', 'Records and changes sent to customers.', 'operation', items),
    counts(
      'civic_soft_failures_total',
      'Public answers that were empty or 404 because the backend failed.',
      'operation',
      softFailures,
    ),
    histogram('civic_tool_duration_seconds', 'Time from a tool call to its result.', () =>
      tools.series('tool', 'outcome'),
    ),
    counts(
      'civic_connections_refused_total',
      'Connections that were closed because of a limit, by limit.',
      'limit',
      connections,
    ),
    counts('civic_refusals_total', 'Refused and failed requests and tool calls, by error code.', 'code', refusals),
  ];
  register(registry, definitions, () => true);
  return {
    /** Counts an answer. `operation` is an operationId, or `none` if the router itself answered. */
    answered: (operation: string, status: number, seconds: number): void => answers.observe(operation, status, seconds),
    itemsServed: (operation: string, count: number): void => items.add(operation, count),
    softFailure: (operation: string): void => softFailures.add(operation),
    /** Counts a tool call; `outcome` is `ok` or the code of its refusal. */
    toolAnswered(tool: string, outcome: string, seconds: number): void {
      tools.observe(tool, outcome, seconds);
      if (outcome !== 'ok') refusals.add(outcome);
    },
    refused: (code: string): void => refusals.add(code),
    connectionRefused: (limit: 'total' | 'client' | 'pipelined' | 'unread'): void => connections.add(limit),
    totals: () => ({ buckets: answers.counts(), refusals: new Map(refusals) }),
  };
}

class Counts extends Map<string, number> {
  add(key: string, count = 1): void {
    this.set(key, (this.get(key) ?? 0) + count);
  }
}

/** Durations by the values of two labels. */
class Durations {
  readonly #tallies = new Map<string, Map<string | number, Tally>>();
  readonly #bounds: readonly number[];
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  observe(first: string, second: string | number, seconds: number): void {
    (this.#tallies.get(first)?.get(second) ?? this.#add(first, second)).observe(seconds);
  }

  series(firstLabel: string, secondLabel: string) {
    return Array.from(this.#tallies, ([first, seconds]) =>
      Array.from(
        seconds,
        ([second, tally]) => [{ [firstLabel]: first, [secondLabel]: String(second) }, tally] as const,
      ),
    ).flat();
  }

  counts(): readonly number[] {
    const sums = new Tally(this.#bounds).counts;
    for (const seconds of this.#tallies.values())
      for (const { counts } of seconds.values()) for (const [index, count] of counts.entries()) sums[index]! += count;
    return sums;
  }

  #add(first: string, second: string | number): Tally {
    const tally = new Tally(this.#bounds);
    const seconds = this.#tallies.get(first) ?? new Map<string | number, Tally>();
    this.#tallies.set(first, seconds.set(second, tally));
    return tally;
  }
}
