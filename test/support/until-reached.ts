import { systemClock } from '../../infra/system/clock.ts';
import { DatabaseUnavailable } from '../../domain/ports/database.ts';
import type { EventLog, Position } from '../../domain/ports/event-log.ts';

/** Longer than any pause of a process that makes progress. */
export const STALL_MS = 120_000;
const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 25;

interface Patience {
  readonly stallMs?: number;
  /** Further text for the message of a failure. */
  readonly tell?: () => Promise<string> | string;
}

/**
 * Waits until a growing value has reached a goal, at any speed. Fails with its name only if it
 * has not grown for `stallMs` milliseconds.
 */
export async function untilReached<Place extends number | string>(
  what: string,
  goal: Place,
  measure: () => Promise<Place> | Place,
  { stallMs = STALL_MS, tell = () => '' }: Patience = {},
): Promise<void> {
  let farthest: Place | undefined;
  let movedAt = Date.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
    const place = await lookedAt(measure);
    if (place !== undefined && place >= goal) return;
    const now = Date.now();
    if (place !== undefined && (farthest === undefined || place > farthest)) [farthest, movedAt] = [place, now];
    if (now - movedAt > stallMs) {
      throw new Error(
        `${what} stands still at ${place} of ${goal} since ${now - movedAt} ms\n${await tell()}`.trimEnd(),
      );
    }
    await systemClock.sleep(pause);
  }
}

/** Undefined if a busy machine did not connect in time; the next attempt does. */
async function lookedAt<Place>(measure: () => Promise<Place> | Place): Promise<Place | undefined> {
  try {
    return await measure();
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return undefined;
    throw error;
  }
}

/** Waits for one condition; fails with its name. Use `untilReached` for progress in many steps. */
export const untilTrue = (
  what: string,
  isSo: () => Promise<boolean> | boolean,
  patience: Patience = {},
): Promise<void> => untilReached(what, 1, async () => Number(await isSo()), patience);

/** Waits until a follower has reached the end of the log, also under writes; fails if it stops before the end. */
export async function untilAtEnd(
  what: string,
  log: Pick<EventLog, 'head'>,
  place: () => Promise<Position | undefined>,
): Promise<void> {
  for (let end = await log.head(); ; ) {
    await untilReached<string>(what, end, async () => (await place()) ?? '');
    const now = await log.head();
    if (now === end) return;
    end = now;
  }
}
