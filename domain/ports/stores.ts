import type { Identifiers } from '../identifiers.ts';
import type { Clock } from './clock.ts';
import type { EventLog } from './event-log.ts';
import type { SetBacks } from './history.ts';
import type { InstallationStore } from './installation.ts';
import type { WorkingRows } from './working-rows.ts';

/** The stores that the settings name, opened without a check of their contents, for restore and repair. The caller closes them. */
export interface Stores {
  readonly log: EventLog;
  readonly rows: WorkingRows;
  readonly installation: InstallationStore;
  readonly setBacks: SetBacks;
  /** The database's time, which leases use. */
  readonly leaseClock: Pick<Clock, 'now'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  close(): Promise<void>;
}
