import type { Clock } from '../../domain/ports/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  // Most waits are aborted, and `node:timers/promises` would create an error with a stack trace for each of them.
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

/** Returns monotonic milliseconds, for durations. */
export const stopwatch = (): number => performance.now();

/** Creates a clock that runs `ahead()` milliseconds ahead of another one. Sleeps have the same length on both. */
export const shiftedClock = (clock: Clock, ahead: () => number): Clock => ({
  now: () => clock.now() + ahead(),
  sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
});
