import type { PublicLimits } from '../../admission/public-limits.ts';
import type { PublicFunctions } from '../../contract/handlers.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { DatabaseUnavailable } from '../../domain/ports/database.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { HttpMetrics } from '../metrics.ts';
import type { Codings } from './accept-encoding.ts';
import { createAnswerCache } from './answer-cache.ts';
import { watchPosition } from './position-watch.ts';
import { createPublicAnswers, type PublicAnswers } from './public-answers.ts';
import type { PublicServing } from './serve-public.ts';
import { createSoftFailures } from './soft-failures.ts';

export interface PublicEdgeParts {
  readonly publicFunctions: PublicFunctions;
  readonly publicLimits: PublicLimits;
  /** Where the read model behind the public answers stands: any text that differs when that does. */
  readonly readPosition: () => Promise<string>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
}

export interface PublicEdge {
  readonly answers: PublicAnswers;
  readonly serving: PublicServing;
  close(): void;
}

/** What all public routes share: limits, answers, the cache and what drops it. */
export const createPublicEdge = (parts: PublicEdgeParts, codingsOf: (header: string | undefined) => Codings): PublicEdge => {
  const { clock } = parts;
  const watch = watchPosition({ readPosition: parts.readPosition, clock });
  return {
    answers: createPublicAnswers(parts.publicFunctions),
    serving: {
      limits: parts.publicLimits,
      clock,
      cache: createAnswerCache({ watch, clock }),
      codingsOf,
      softFailures: createSoftFailures(parts),
      onFailure: (error) => {
        if (error instanceof DatabaseUnavailable) watch.lost();
      },
    },
    close: () => watch.close(),
  };
};
