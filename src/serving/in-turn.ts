import type { Clock } from '../domain/ports/clock.ts';
import type { RegularTurns } from '../domain/ports/regular-turns.ts';
import { whileLeased } from '../domain/while-leased.ts';

export interface TurnParts {
  readonly turns: RegularTurns;
  /** Of all processes on the database. */
  readonly leaseClock: Clock;
  readonly owner: string;
  readonly leaseMs: number;
}

export interface Regular {
  readonly name: string;
  /** Milliseconds from the end of one turn to the next. */
  readonly everyMs: number;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * Does regular work if its turn has come and no other process on the database is at it; the work's signal aborts when the turn was taken
 * over. A turn that was stopped is due again at once, for another process or the next start.
 */
export const inTurn = async (
  { turns, leaseClock, owner, leaseMs }: TurnParts,
  { name, everyMs, run }: Regular,
  stopping: AbortSignal,
): Promise<void> => {
  const turn = await turns.take(name, owner, leaseClock.now(), leaseMs);
  if (turn === null) return;
  const held = {
    clock: leaseClock,
    leaseMs,
    renew: (leaseUntil: number) => turns.renew(turn, leaseUntil),
    release: () => turns.end(turn, leaseClock.now() + (stopping.aborted ? 0 : everyMs)),
  };
  await whileLeased(held, stopping, run);
};
