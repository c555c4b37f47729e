import type { Operation } from '../../../contract/operation.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { DatabaseUnavailable } from '../../../domain/ports/database.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { PublicAnswer, PublicExchange } from './exchange.ts';

const LOG_EVERY_MS = 1_000;

interface SoftFailureParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: { softFailure(operationId: string): void };
  /** Earlier reads are out of date. */
  readonly onDatabaseLost: () => void;
}

/**
 * The answer after a failure of `ask`, which is counted, and logged once a second. Throws a refusal of the operation as it is, and the failure
 * where there is no soft answer.
 */
export function softened({ operationId, refusals }: Operation, answer: PublicAnswer, parts: SoftFailureParts) {
  const { clock, logger, metrics, onDatabaseLost } = parts;
  let failures = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (err: unknown, asked: PublicExchange, requestId: string): string => {
    if (err instanceof Rejection && refusals.includes(err.code)) throw err;
    if (err instanceof DatabaseUnavailable) onDatabaseLost();
    if (answer.soft === undefined) throw new Error(`${operationId} could not be answered`, { cause: err });
    metrics.softFailure(operationId);
    failures += 1;
    const now = clock.now();
    if (Math.abs(now - loggedAt) >= LOG_EVERY_MS) {
      logger.warn({ operation: operationId, requestId, failures, err }, 'the backend failed; a public answer hides it');
      failures = 0;
      loggedAt = now;
    }
    return answer.soft(asked);
  };
}
