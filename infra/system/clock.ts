import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../domain/ports/clock.ts';

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      // The error of the timer does not hold the reason.
      throw signal?.aborted === true ? signal.reason : error;
    });
  },
};

/** Monotonic milliseconds. */
export const steadyMilliseconds = (): number => performance.now();

/** The machine's clock with an offset; waits keep their length. */
export const shiftedClock = (clock: Clock, offsetMs: number): Clock =>
  offsetMs === 0 ? clock : { now: () => clock.now() + offsetMs, sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal) };
