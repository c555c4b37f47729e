import type { Lease } from '../../src/domain/ports/generations.ts';
import type { ProjectorDependencies } from './dependencies.ts';
import { LeaseLost } from './fold-batch.ts';

/** Runs work while renewing its lease; the work's signal aborts when the lease could not be renewed in time. */
export const underLease = async (
  deps: Pick<ProjectorDependencies, 'generations' | 'leaseClock' | 'leaseMs'>,
  lease: Lease,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const lost = new AbortController();
  const done = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const renewing = (async () => {
    while (!done.signal.aborted && !signal.aborted) {
      await deps.leaseClock.sleep(deps.leaseMs / 3, AbortSignal.any([done.signal, signal])).catch(() => undefined);
      if (done.signal.aborted || signal.aborted) return;
      const renewed = await deps.generations.renew(lease, deps.leaseClock.now() + deps.leaseMs).catch(() => null);
      if (renewed === false) lost.abort(new LeaseLost('the lease was taken over'));
    }
  })();
  try {
    await work(signal);
  } finally {
    done.abort();
    await renewing;
    await deps.generations.release(lease).catch(() => undefined);
  }
};
