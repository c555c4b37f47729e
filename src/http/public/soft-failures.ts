import type { Clock } from '../../domain/ports/clock.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { HttpMetrics } from '../metrics.ts';

export interface SoftFailures {
  /** An answer that hides a failure of the backend is about to be sent. */
  answered(operation: string, requestId: string, error: unknown): void;
}

const LOG_EVERY_MS = 1_000;

/** Counts every soft failure; of each operation's, one a second is logged with the number since the last. */
export const createSoftFailures = (parts: {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
}): SoftFailures => {
  const unlogged = new Map<string, { failures: number; loggedAt: number }>();
  return {
    answered(operation, requestId, error) {
      parts.metrics.softFailure(operation);
      const now = parts.clock.now();
      const state = unlogged.get(operation) ?? { failures: 0, loggedAt: Number.NEGATIVE_INFINITY };
      unlogged.set(operation, state);
      state.failures += 1;
      if (Math.abs(now - state.loggedAt) < LOG_EVERY_MS) return;
      parts.logger.warn({ operation, requestId, failures: state.failures, err: error }, 'the backend failed; a public answer hides it');
      state.failures = 0;
      state.loggedAt = now;
    },
  };
};
