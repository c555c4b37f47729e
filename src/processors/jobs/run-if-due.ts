import type { Clock } from '../../../domain/ports/clock.ts';
import type { JobLeases } from '../../../domain/ports/job-leases.ts';
import { whileLeased } from '../../../domain/while-leased.ts';

export interface JobParts {
  readonly turns: JobLeases;
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
export const runIfDue = async (
  { turns, leaseClock, owner, leaseMs }: JobParts,
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
