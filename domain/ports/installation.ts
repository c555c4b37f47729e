import type { EventMark } from '../event-mark.ts';
import type { Position } from './event-log.ts';

/** Identity of a database: `database` changes when a dump is restored elsewhere, `timeline` when it is restored or promoted in place. */
export interface DatabaseIdentity {
  /** Empty where this user may not read it. */
  readonly database: string;
  readonly timeline: string;
}

export interface KeptInstallation extends DatabaseIdentity {
  readonly logId: string;
  /** Reason of a renewal of the feed's identity that is in progress; null without one. */
  readonly renewing: string | null;
}

export interface BegunRenewal {
  readonly identity: DatabaseIdentity;
  readonly logId: string;
  /** A checkpoint beyond it means nothing in this log. */
  readonly usableUpTo: Position;
  /** The `lastEvents` that are missing from the log. */
  readonly lost: readonly EventMark[];
  /** The log is intact at least up to this position. */
  readonly intactUpTo: Position;
  readonly reason: string;
  readonly now: number;
}

export interface InstallationStore {
  identity(): Promise<DatabaseIdentity>;
  /** Null before the first start. */
  kept(): Promise<KeptInstallation | null>;
  /** Stores the identity, and that no renewal is in progress. */
  keep(identity: DatabaseIdentity, logId: string): Promise<void>;
  /** The last events of read models and reactors on this log. */
  lastEvents(logId: string): Promise<readonly EventMark[]>;
  /**
   * Begins a renewal: stores it, retires every read model that has folded beyond the log, so that it is built again, and moves such
   * reactors back. Throws `StillHeld` while one of them has an owner; `now` is of the lease clock. Resolves to the names of the read
   * models.
   */
  beginRenewal(renewal: BegunRenewal): Promise<readonly string[]>;
}
