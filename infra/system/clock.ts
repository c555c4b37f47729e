import type { Clock } from '../../domain/ports/clock.ts';

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // Not the timer of `node:timers/promises`: it makes an error with a stack for each wait that is aborted, which most are.
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const aborted = (): void => {
        clearTimeout(timer);
        reject(signal!.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', aborted);
        resolve();
      }, milliseconds);
      if (signal?.aborted === true) aborted();
      else signal?.addEventListener('abort', aborted, { once: true });
    }),
};

/** The machine's clock with an offset; waits keep their length. */
export const shiftedClock = (clock: Clock, offsetMs: number): Clock =>
  offsetMs === 0 ? clock : { now: () => clock.now() + offsetMs, sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal) };
