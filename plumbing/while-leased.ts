import type { Clock } from '../domain/ports/clock.ts';
import type { ProcessorState } from '../domain/ports/generations.ts';

/** Milliseconds of the lease of a generation, a reactor or a job; by the lease clock. */
export const LEASE_MS = 5_000;
/** The clocks of two processes differ by less, in milliseconds. A time further ahead was stored before the database's clock was set back. */
export const CLOCK_MARGIN_MS = LEASE_MS;
export const MAX_LEASE_MS = LEASE_MS + CLOCK_MARGIN_MS;

/** Returns true if the lease has an owner. A lease that ends later than any new one would is invalid. */
export const isLeased = ({ owner, leaseUntil }: Pick<ProcessorState, 'owner' | 'leaseUntil'>, now: number): boolean =>
  owner !== null && leaseUntil >= now && leaseUntil <= now + MAX_LEASE_MS;

/** The lease is lost or about to be: the holder stops at once. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

interface HeldLease {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly renew: (leaseUntil: number) => Promise<boolean>;
  readonly release: () => Promise<void>;
}

/**
 * Runs work while renewing its lease; the work's signal aborts when the lease was taken over. Releases the lease at the
 * end.
 */
export async function whileLeased<Result>(
  { clock, leaseMs, renew, release }: HeldLease,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const leaseLost = new AbortController();
  const finished = new AbortController();
  const signal = AbortSignal.any([stopping, leaseLost.signal]);
  const waiting = AbortSignal.any([signal, finished.signal]);
  const renewing = (async () => {
    while (!waiting.aborted) {
      await clock.sleep(leaseMs / 3, waiting).catch(() => undefined);
      if (waiting.aborted) return;
      const renewed = await renew(clock.now() + leaseMs).catch(() => null);
      if (renewed === false) leaseLost.abort(new LeaseLost('the lease was taken over'));
    }
  })();
  try {
    return await work(signal);
  } finally {
    finished.abort();
    await renewing;
    await release().catch(() => undefined);
  }
}
