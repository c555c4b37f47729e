import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../domain/ports/clock.ts';

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      // The timer's own error says only that it was aborted.
      throw signal?.aborted === true ? signal.reason : error;
    });
  },
};

/** Milliseconds since some moment, which no setting of the machine's clock changes. */
export const steadyMilliseconds = (): number => performance.now();

/** The machine's clock, moved; waiting takes as long as ever. */
export const shiftedClock = (clock: Clock, offsetMs: number): Clock =>
  offsetMs === 0 ? clock : { now: () => clock.now() + offsetMs, sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal) };
