import type { Clock } from '../../../domain/ports/clock.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { ProcessorStore } from '../../../domain/ports/reactors.ts';
import { whileLeased } from '../../../plumbing/while-leased.ts';

/** Pause between two attempts to take a lease that another process holds. */
const LOOK_AGAIN_MS = 50;

export interface JobDependencies {
  readonly store: Pick<ProcessorStore, 'acquireJob' | 'renew' | 'endJob'>;
  /** The clock that all processes on the database share. */
  readonly leaseClock: Clock;
  readonly owner: string;
  readonly leaseMs: number;
}

interface Job {
  readonly name: string;
  /** Milliseconds from the end of one run to the beginning of the next, at most. */
  readonly everyMs: number;
  /** Returns when the job runs after a run that ended at `now`; absent if a whole interval later. */
  readonly nextRun?: (now: number) => number;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * Runs a job if it is due and no other process on the database runs it. A run that was stopped is due again at once.
 */
export async function runIfDue(
  { store, leaseClock, owner, leaseMs }: JobDependencies,
  { name, everyMs, nextRun = (now) => now + everyMs, run }: Job,
  stopping: AbortSignal,
): Promise<void> {
  const lease = await store.acquireJob({ name, everyMs }, owner, leaseClock.now(), leaseMs);
  if (lease === null) return;
  const renew = (leaseUntil: number) => store.renew(lease, leaseUntil);
  const release = () => store.endJob(lease, stopping.aborted ? leaseClock.now() : nextRun(leaseClock.now()));
  await whileLeased({ clock: leaseClock, leaseMs, renew, release }, stopping, run);
}

/**
 * Runs work under a lease as soon as no other process holds it. Throws when it is not free by the deadline, in
 * milliseconds of the lease clock.
 */
export async function runWhenFree<Result>(
  { store, leaseClock, owner, leaseMs }: JobDependencies,
  { name, deadline }: { readonly name: string; readonly deadline: number },
  run: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const lease = await store.acquireJob({ name, everyMs: 0 }, owner, leaseClock.now(), leaseMs);
    if (lease !== null) {
      const renew = (leaseUntil: number) => store.renew(lease, leaseUntil);
      return whileLeased(
        { clock: leaseClock, leaseMs, renew, release: () => store.endJob(lease, 0) },
        new AbortController().signal,
        run,
      );
    }
    if (leaseClock.now() >= deadline) throw new Error(`the lease "${name}" was not free in time; run it again`);
    await leaseClock.sleep(LOOK_AGAIN_MS);
  }
}

export interface Repetition {
  readonly what: string;
  readonly everyMs: number;
  readonly run: () => Promise<void>;
  /** Waits for work that a run left behind. */
  readonly ended?: () => Promise<unknown>;
}

/** Resolves when the signal has aborted and the last run has ended. */
export async function repeat(
  clock: Clock,
  logger: Logger,
  signal: AbortSignal,
  { what, everyMs, run, ended }: Repetition,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await run();
    } catch (error) {
      if (!signal.aborted) logger.warn({ error: (error as Error).message }, `${what} failed and will be retried`);
    }
    await clock.sleep(everyMs, signal).catch(() => undefined);
  }
  await ended?.();
}
