import type { EventMark } from '../event-mark.ts';
import type { Position } from './event-log.ts';

/** Where a database is: what changes when it is brought elsewhere by a dump, and what when it is set back or promoted in place. */
export interface DatabasePlace {
  /** Empty where it cannot be asked. */
  readonly database: string;
  readonly timeline: string;
}

export interface KeptInstallation extends DatabasePlace {
  readonly logId: string;
  /** Why the feed is being given another identity; null where it is not. */
  readonly renewing: string | null;
}

export interface BegunRenewal {
  readonly place: DatabasePlace;
  readonly logId: string;
  readonly head: Position;
  /** Of `lastEvents`, those that the log does not have. */
  readonly lost: readonly EventMark[];
  /** Up to here at least the log is what was followed. */
  readonly intactUpTo: Position;
  readonly reason: string;
  readonly now: number;
}

/** What a database remembers of where it was used, and with which log. */
export interface InstallationStore {
  place(): Promise<DatabasePlace>;
  /** Null before the first start. */
  kept(): Promise<KeptInstallation | null>;
  /** Remembers this, and that no renewal is under way. */
  keep(place: DatabasePlace, logId: string): Promise<void>;
  /** The events that read models and reactors on this log have seen last. */
  lastEvents(logId: string): Promise<readonly EventMark[]>;
  /**
   * Begins a renewal: notes it, takes every read model that has seen more than the log has out of service, so that it is built anew, and
   * sets such reactors back. Throws `StillHeld` while one of them is being folded; `now` is of the lease clock. Resolves with the names of the read models.
   */
  beginRenewal(renewal: BegunRenewal): Promise<readonly string[]>;
}
