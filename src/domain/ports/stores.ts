import type { Identifiers } from '../identifiers.ts';
import type { Clock } from './clock.ts';
import type { EventLog } from './event-log.ts';
import type { SetBacks } from './history.ts';
import type { InstallationStore } from './installation.ts';
import type { WorkingRows } from './working-rows.ts';

/** What the settings point at, opened without a look at what is in it: for what fills it, or puts it right. Its caller closes it. */
export interface Stores {
  readonly log: EventLog;
  readonly rows: WorkingRows;
  readonly installation: InstallationStore;
  readonly setBacks: SetBacks;
  /** The database's own time, by which leases are kept. */
  readonly leaseClock: Pick<Clock, 'now'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  close(): Promise<void>;
}
