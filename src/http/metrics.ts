import { Counter, type Registry } from 'prom-client';
import { RequestDurations } from './request-durations.ts';

export interface HttpMetrics {
  /** `operation` is an operationId, or `none` where the router itself answered. */
  answered(operation: string, status: number, seconds: number): void;
  itemsServed(operation: string, items: number): void;
  /** A public answer was sent that hides a failure of the backend. */
  softFailure(operation: string): void;
}

export const createHttpMetrics = (registry: Registry): HttpMetrics => {
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
  return {
    answered: (operation, status, seconds) => durations.answered(operation, status, seconds),
    itemsServed: (operation, count) => items.inc({ operation }, count),
    softFailure: (operation) => softFailures.inc({ operation }),
  };
};
