import type { Clock } from '../../../domain/ports/clock.ts';

/** Whether the read model behind the public answers is still where it was, without a round trip. */
export interface PositionWatch {
  /** A number that changes whenever the position moves or is unknown; what was read under an earlier number is out of date. */
  readonly era: number;
  /** Whether the position was checked recently enough to rely on the era. A call keeps the watch polling. */
  isAwake(now: number): boolean;
  /** The connection to the database is lost: earlier reads are out of date. */
  lost(): void;
  close(): void;
}

const LOOK_EVERY_MS = 50;
const AFTER_FAILURE_MS = 250;
/** An older read does not count. */
export const MOMENT_MS = 150;
const ASLEEP_AFTER_MS = 1_000;

/** Polls the position only while there are requests. `readPosition` gives any text that differs when the position does. */
export function watchPosition({
  readPosition,
  clock,
}: {
  readonly readPosition: () => Promise<string>;
  readonly clock: Clock;
}): PositionWatch {
  const closing = new AbortController();
  let era = 0;
  let position: string | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  let looking = false;

  const look = async (): Promise<void> => {
    const began = clock.now();
    const found = await readPosition();
    // Also after a time without polls: earlier reads may be older than the position found now.
    if (found !== position) era += 1;
    position = found;
    lookedAt = began;
  };
  const lost = (): void => {
    era += 1;
    position = undefined;
    lookedAt = Number.NEGATIVE_INFINITY;
  };
  const keepLooking = async (): Promise<void> => {
    while (!closing.signal.aborted && Math.abs(clock.now() - askedAt) < ASLEEP_AFTER_MS) {
      const pause = await look().then(
        () => LOOK_EVERY_MS,
        () => {
          lost();
          return AFTER_FAILURE_MS;
        },
      );
      await clock.sleep(pause, closing.signal).catch(() => undefined);
    }
    position = undefined;
    looking = false;
  };

  return {
    get era() {
      return era;
    },
    isAwake(now) {
      askedAt = now;
      if (!looking && !closing.signal.aborted) {
        looking = true;
        void keepLooking();
      }
      return now >= lookedAt && now - lookedAt < MOMENT_MS;
    },
    lost,
    close: () => closing.abort(),
  };
}
