import type { Lease } from '../../../domain/ports/generations.ts';
import { whileLeased } from '../../../domain/while-leased.ts';
import type { ProjectorDependencies } from './dependencies.ts';

/** Runs work on a generation while its lease holds. */
export function underLease(
  { generations, leaseClock, leaseMs }: Pick<ProjectorDependencies, 'generations' | 'leaseClock' | 'leaseMs'>,
  lease: Lease,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const renew = (leaseUntil: number) => generations.renew(lease, leaseUntil);
  return whileLeased({ clock: leaseClock, leaseMs, renew, release: () => generations.release(lease) }, stopping, work);
}
