import { systemClock } from '../../infra/system/clock.ts';
import type { EventLog, Position } from '../../src/domain/ports/event-log.ts';

/** Longer than anything stands still that goes on at all, on any machine. */
export const STALL_MS = 40_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 25;

/**
 * Waits until something that grows has reached a goal. How fast it grows is a matter of the machine: this fails, by its name, only where it
 * has not grown for `stallMs` milliseconds, however near it is and however long it has taken.
 */
export const untilReached = async <Place extends number | string>(
  what: string,
  goal: Place,
  measure: () => Promise<Place> | Place,
  { stallMs = STALL_MS, tell = () => '' }: { readonly stallMs?: number; readonly tell?: () => Promise<string> | string } = {},
): Promise<void> => {
  let farthest = await measure();
  let movedAt = Date.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.5)) {
    const place = await measure();
    if (place >= goal) return;
    if (place > farthest) [farthest, movedAt] = [place, Date.now()];
    if (Date.now() - movedAt > stallMs) {
      throw new Error(`${what} stands still at ${place} of ${goal} since ${Date.now() - movedAt} ms\n${await tell()}`.trimEnd());
    }
    await systemClock.sleep(pause);
  }
};

/** Waits until a follower stands where the log ends, also where others go on writing meanwhile; fails where it stands still before it. */
export const untilAtEnd = async (what: string, log: Pick<EventLog, 'head'>, place: () => Promise<Position | undefined>): Promise<void> => {
  for (let end = await log.head(); ; ) {
    await untilReached<string>(what, end, async () => (await place()) ?? '');
    const now = await log.head();
    if (now === end) return;
    end = now;
  }
};
