import type { Clock } from '../../domain/ports/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  // The timer of `node:timers/promises` makes an error with a stack for each aborted wait, and most waits are aborted.
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
