import type { Identifiers } from '../identifiers.ts';
import type { Clock } from './clock.ts';
import type { EventLog, Position, SetBacks } from './event-log.ts';
import type { EventMark } from '../read-log.ts';

/** For a command that does not make an installation and finds none. `found` is a clause. */
export const noInstallation = (found: string): string =>
  `there is no service here yet: ${found}; start one with \`civic serve\` or \`civic restore FILE\`, or correct CIVIC_DATA_DIR, DATABASE_URL and EVENTSTORE_URL`;

/** The stores that the settings name, opened without a check of their contents, for restore and repair. The caller closes them. */
export interface Stores {
  readonly log: EventLog;
  readonly rows: WorkingRows;
  readonly installation: InstallationStore;
  readonly setBacks: SetBacks;
  readonly fillLock: FillLock;
  /** The database's time, which leases use. */
  readonly leaseClock: Pick<Clock, 'now'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  close(): Promise<void>;
}

/** Held by the process that fills an empty log: the first start of a service, or a restore until its end. It ends with the process. */
export interface FillLock {
  /** Null where another process holds the lock. Throws what `work` throws. */
  tryRun<Result>(work: () => Promise<Result>): Promise<Result | null>;
}

/** Identity of a database: `database` changes when a dump is restored elsewhere, `timeline` when it is restored or promoted in place. */
interface DatabaseIdentity {
  /** Empty where this user may not read it. */
  readonly database: string;
  readonly timeline: string;
}

interface KeptInstallation extends DatabaseIdentity {
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
  lastEvents(logId: string): Promise<readonly EventMark[]>;
  /** Remembers that a backup of the log, made at this time, was found whole; false where this database has another log. Milliseconds since the epoch. */
  keepVerifiedBackup(logId: string, madeAt: number): Promise<boolean>;
  /** When the newest backup that was found whole was made; null before the first. */
  verifiedBackupMadeAt(): Promise<number | null>;
  /**
   * Stores the renewal, retires every read model that has folded beyond the log, so that it is built again, and moves such reactors back.
   * Resolves to the names of the read models. Throws `StillHeld` while one of them has an owner; `now` is of the lease clock.
   */
  beginRenewal(renewal: BegunRenewal): Promise<readonly string[]>;
}

/** State beside the log that cannot be derived from it: rows as the JSON text that the store itself writes and reads. */
export const SAVED_TABLES = ['payments', 'wallets', 'inlet'] as const;
export type SavedTable = (typeof SAVED_TABLES)[number];

export interface SavedRow {
  /** Orders the rows of a table. The next page begins after it. */
  readonly key: string;
  readonly text: string;
}

interface TrialClock {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly offsetMs: number;
}

interface ReactorPlace {
  readonly name: string;
  readonly checkpoint: Position;
}

export interface WorkingRows {
  /** A page of a table's rows after a key, null for the first page; empty at the end. Excludes payments without effects. */
  page(table: SavedTable, after: string | null, limit: number): Promise<readonly SavedRow[]>;
  trialClock(): Promise<TrialClock | null>;
  reactors(): Promise<readonly ReactorPlace[]>;
  /** Names existing data that a restore would mix with its own; null for an empty database. */
  occupiedBy(): Promise<string | null>;
  /** Inserts missing rows. A payment in progress gets an unknown outcome: what happened since the backup is not known here. */
  put(table: SavedTable, rows: readonly string[]): Promise<void>;
  /** Writes the rest in one transaction: budgets from the payments, checkpoints of reactors, the trial clock. Idempotent. */
  finish(restored: {
    readonly trialClock: TrialClock | null;
    readonly reactors: readonly ReactorPlace[];
    readonly logId: string;
  }): Promise<void>;
}

/** A column of a read model with positions of the log. It is rewritten when the log moves. */
export interface PositionColumn {
  readonly table: string;
  readonly column: string;
}

export type PlacePair = readonly [from: Position, to: Position];

export interface LogMove {
  readonly from: string;
  readonly to: string;
  /** New position of each checkpoint. */
  readonly places: ReadonlyMap<Position, Position>;
  /** For the columns with positions; pairs in any order. */
  readonly columns: readonly PositionColumn[];
  readonly pairs: readonly PlacePair[];
  /** Which log is in the database of the read models: as the source it is sealed against appends, as the target unsealed. */
  readonly here: 'source' | 'target' | 'neither';
  /** Milliseconds of the lease clock. */
  readonly now: number;
  /** Called under the locks. When it resolves to false, the log has grown, and nothing is moved. */
  readonly isComplete: () => Promise<boolean>;
}

/** Moves the checkpoints of all followers of a log to its copy: read models and reactors. */
export interface LogMoves {
  checkpoints(identity: string): Promise<readonly Position[]>;
  /** Names of the read models and reactors that have an owner now. */
  held(now: number): Promise<readonly string[]>;
  /** Live and building generations on this log. */
  generations(identity: string): Promise<readonly { readonly projection: string; readonly generation: number }[]>;
  /** Rewrites every checkpoint in one transaction; false when `isComplete` is false. Throws `StillHeld` while a follower has an owner. */
  move(move: LogMove): Promise<boolean>;
}

/** A read model or a reactor has an owner, so its checkpoint cannot be moved. */
export class StillHeld extends Error {
  override readonly name = 'StillHeld';
}
