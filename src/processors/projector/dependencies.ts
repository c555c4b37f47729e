import type { Clock } from '../../../domain/ports/clock.ts';
import type { ColumnArrays, Transactor } from '../../../domain/ports/database.ts';
import type { EventLog } from '../../../domain/ports/event-log.ts';
import type { GenerationStore } from '../../../domain/ports/generations.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { Traffic } from '../../../domain/ports/traffic.ts';

export interface ProjectorDependencies {
  readonly log: EventLog;
  readonly transactor: Transactor;
  readonly columns: ColumnArrays;
  readonly generations: GenerationStore;
  /** Measures leases; a time that all processes on the database share, also where the service's clock is set for a trial. */
  readonly leaseClock: Clock;
  readonly logger: Logger;
  /** Names this process among the owners. */
  readonly owner: string;
  readonly leaseMs: number;
  /** What else goes on in the database: a rebuild gives way to it. */
  readonly traffic: Traffic;
  readonly batchSize: number;
  /** How long the tables that a switch replaced are kept to be switched back to. */
  readonly keptMs: number;
}
