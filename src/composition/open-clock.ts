import { trialClockOffset } from '../../infra/postgresql/trial-clock.ts';
import { shiftedClock } from '../../infra/system/clock.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Transactor } from '../domain/ports/database.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { Settings } from '../settings.ts';

/** The clock that this database lives by: the machine's, or one that a trial has moved; then it says so loudly. */
export const openClock = async (
  transactor: Transactor,
  { CIVIC_CLOCK_START: start }: Pick<Settings, 'CIVIC_CLOCK_START'>,
  time: Clock,
  logger: Logger,
): Promise<Clock> => {
  const offset = await trialClockOffset(transactor, start, time.now());
  const clock = shiftedClock(time, offset);
  if (offset !== 0) {
    const now = new Date(clock.now()).toISOString();
    logger.warn({ now }, 'TRIAL CLOCK: this database does not live in the present; use it for trials only');
  }
  return clock;
};
