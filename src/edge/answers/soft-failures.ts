import type { Operation } from '../../../contract/operation.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { DatabaseUnavailable } from '../../../domain/ports/database.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { PublicAnswer, PublicExchange } from './exchange.ts';

const LOG_EVERY_MS = 1_000;

export interface SoftFailureParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: { softFailure(operationId: string): void };
  /** Earlier reads are out of date. */
  readonly onDatabaseLost: () => void;
}

export interface SoftenedAnswer {
  /** The answer. Throws a refusal of this operation as it is, and `BackendFailure` for all else that the backend throws. */
  ask(asked: PublicExchange): Promise<string>;
  /** The answer after a failure of `ask`, which is counted, and logged once a second. Throws the failure where the operation has no soft answer. */
  soften(error: unknown, asked: PublicExchange, requestId: string): string;
}

class BackendFailure extends Error {
  override readonly name = 'BackendFailure';
}

/** A public answer that passes refusals on and replaces other failures by the soft answer, if the operation has one. */
export const softened = ({ operationId, refusals }: Operation, answer: PublicAnswer, parts: SoftFailureParts): SoftenedAnswer => {
  const { clock, logger, metrics, onDatabaseLost } = parts;
  let failures = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  const report = (requestId: string, err: unknown): void => {
    metrics.softFailure(operationId);
    failures += 1;
    const now = clock.now();
    if (Math.abs(now - loggedAt) < LOG_EVERY_MS) return;
    logger.warn({ operation: operationId, requestId, failures, err }, 'the backend failed; a public answer hides it');
    failures = 0;
    loggedAt = now;
  };
  return {
    async ask(asked) {
      try {
        return await answer.ask(asked);
      } catch (error) {
        if (error instanceof Rejection && refusals.includes(error.code)) throw error;
        throw new BackendFailure('the backend failed', { cause: error });
      }
    },
    soften(error, asked, requestId) {
      if (!(error instanceof BackendFailure)) throw error;
      if (error.cause instanceof DatabaseUnavailable) onDatabaseLost();
      if (answer.soft === undefined) throw new Error(`${operationId} could not be answered`, { cause: error.cause });
      report(requestId, error.cause);
      return answer.soft(asked);
    },
  };
};
