import type { Clock } from '../../../domain/ports/clock.ts';
import type { ColumnArrays, Transactor } from '../../../domain/ports/database.ts';
import type { EventLog } from '../../../domain/ports/event-log.ts';
import type { GenerationStore, Lease } from '../../../domain/ports/generations.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { Traffic } from '../../../domain/ports/traffic.ts';
import { whileLeased } from '../../../domain/while-leased.ts';

export interface ProjectorDependencies {
  readonly log: EventLog;
  readonly transactor: Transactor;
  readonly columns: ColumnArrays;
  readonly generations: GenerationStore;
  /** The clock of leases, which all processes on the database share. A trial clock does not affect it. */
  readonly leaseClock: Clock;
  readonly logger: Logger;
  /** Names this process among the owners. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Other activity in the database; a rebuild gives way to it. */
  readonly traffic: Traffic;
  readonly batchSize: number;
  /** Milliseconds for which a replaced generation is kept for a switch back. */
  readonly keptMs: number;
}

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
