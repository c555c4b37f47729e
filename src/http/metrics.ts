import { Counter, Histogram, type Registry } from 'prom-client';

export interface HttpMetrics {
  /** `operation` is an operationId, or `none` where the router itself answered. */
  answered(operation: string, status: number, seconds: number): void;
  itemsServed(operation: string, items: number): void;
  /** A public answer was sent that hides a failure of the backend. */
  softFailure(operation: string): void;
}

export const createHttpMetrics = (registry: Registry): HttpMetrics => {
  const duration = new Histogram({
    name: 'civic_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
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
  return {
    answered: (operation, status, seconds) => duration.observe({ operation, status }, seconds),
    itemsServed: (operation, count) => items.inc({ operation }, count),
    softFailure: (operation) => softFailures.inc({ operation }),
  };
};
