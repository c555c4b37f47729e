import { Counter, Histogram, type Registry } from 'prom-client';
import { collectCounter } from './collected.ts';
import { RequestDurations } from './request-durations.ts';

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
