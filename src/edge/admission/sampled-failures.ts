import type { Clock } from '../../../domain/ports/clock.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { Rejection } from '../../../domain/rejections.ts';

const LOG_EVERY_MS = 1_000;

/** Logs what may occur with every request: the first at once, then at most one per second with the number since the last line. */
export function sampled<About>(clock: Pick<Clock, 'now'>, log: (failures: number, about: About) => void): (about: About) => void {
  let failures = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (about) => {
    const now = clock.now();
    failures += 1;
    // A clock that was set back does not silence the log.
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

/** The cause is for the log only. */
export async function failClosed<Result>(onFailure: (cause: unknown) => void, asked: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    onFailure(error);
    throw new Rejection('authentication_unavailable', `${asked} could not be looked up; try again later`);
  }
}
