import type { Clock } from '../../../domain/ports/clock.ts';
import type { Logger } from '../../../domain/ports/logger.ts';

const LOG_EVERY_MS = 1_000;

/**
 * Logs failures that might occur with every request: the first at once, then at most one per second, with the number
 * since the last line.
 */
export function sampled<About>(
  clock: Pick<Clock, 'now'>,
  log: (failures: number, about: About) => void,
): (about: About) => void {
  let failures = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (about) => {
    const now = clock.now();
    failures += 1;
    // The absolute difference also covers a clock that was set back.
    if (Math.abs(now - loggedAt) < LOG_EVERY_MS) return;
    log(failures, about);
    failures = 0;
    loggedAt = now;
  };
}

export const createSampledFailures = (
  { clock, logger }: { readonly clock: Pick<Clock, 'now'>; readonly logger: Logger },
  message: string,
) =>
  sampled<unknown>(clock, (failures, error) =>
    logger.error({ failures, error: error instanceof Error ? error.message : String(error) }, message),
  );
