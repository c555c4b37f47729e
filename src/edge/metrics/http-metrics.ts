import { Counter, Histogram, type Registry } from 'prom-client';
import { collectCounter, CountedDurations, durationSeries } from './collected.ts';

export interface HttpMetrics {
  /** `operation` is an operationId, or `none` where the router itself answered. */
  answered(operation: string, status: number, seconds: number): void;
  itemsServed(operation: string, items: number): void;
  /** A public answer was sent that hides a failure of the backend. */
  softFailure(operation: string): void;
  /** A tool was called; `outcome` is `ok` or the code of its refusal. */
  toolAnswered(tool: string, outcome: string, seconds: number): void;
  /** A request was refused, or failed, with a code of the closed list. */
  refused(code: string): void;
  /** A connection was ended because of a limit: `total`, `client` or `pipelined`. */
  connectionRefused(limit: string): void;
}

/** What has been counted since the start of the process. */
export interface RequestTotals {
  readonly requests: number;
  /** Answers by duration, in the buckets of `DURATION_BOUNDS`. */
  readonly buckets: readonly number[];
  readonly refusals: ReadonlyMap<string, number>;
}

export function createHttpMetrics(registry: Registry): HttpMetrics & { totals(): RequestTotals } {
  const durations = new RequestDurations(registry);
  const items = new Counter({
    name: 'civic_items_served_total',
    help: 'Records and changes sent to customers.',
    labelNames: ['operation'],
    registers: [registry],
  });
  const softFailures = new Counter({
    name: 'civic_soft_failures_total',
    help: 'Public answers that were empty, or 404, because the backend failed.',
    labelNames: ['operation'],
    registers: [registry],
  });
  const toolCalls = new Histogram({
    name: 'civic_tool_duration_seconds',
    help: 'Time from a tool call to its result.',
    labelNames: ['tool', 'outcome'],
    buckets: [0.0025, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10],
    registers: [registry],
  });
  const connections = new Counter({
    name: 'civic_connections_refused_total',
    help: 'Connections that were ended because of a limit, by the limit.',
    labelNames: ['limit'],
    registers: [registry],
  });
  const refusals = new Map<string, number>();
  const refused = (code: string): void => void refusals.set(code, (refusals.get(code) ?? 0) + 1);
  const byCode = 'Requests and tool calls that were refused or failed, by the code of the answer.';
  collectCounter(registry, { name: 'civic_refusals_total', help: byCode, label: 'code' }, () =>
    [...refusals].map(([code, count]) => [{ code }, count]),
  );
  return {
    answered: (operation, status, seconds) => durations.answered(operation, status, seconds),
    itemsServed: (operation, count) => items.inc({ operation }, count),
    softFailure: (operation) => softFailures.inc({ operation }),
    toolAnswered: (tool, outcome, seconds) => {
      toolCalls.observe({ tool, outcome }, seconds);
      if (outcome !== 'ok') refused(outcome);
    },
    refused,
    connectionRefused: (limit) => connections.inc({ limit }),
    totals() {
      const buckets = durations.counts();
      return { requests: buckets.reduce((sum, count) => sum + count, 0), buckets, refusals: new Map(refusals) };
    },
  };
}

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
