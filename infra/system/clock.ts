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

/** Milliseconds from any beginning that no change of the clock moves: for durations. */
export const stopwatch = (): number => performance.now();

/** A clock that is ahead of another by what `ahead` says then, in milliseconds; waits keep their length. */
export const shiftedClock = (clock: Clock, ahead: () => number): Clock => ({
  now: () => clock.now() + ahead(),
  sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
});
