import type { Identifiers } from '../identifiers.ts';
import type { Clock } from './clock.ts';
import type { EventLog, Position, SetBacks } from './event-log.ts';
import type { EventMark } from '../read-log.ts';

/** Returns the message of a command that requires an installation and finds none. `finding` is a clause. */
export const noInstallation = (finding: string): string =>
  `there is no service here yet: ${finding}; start one with \`civic serve\` or \`civic restore FILE\`, ` +
  'or correct CIVIC_DATA_DIR, DATABASE_URL and EVENTSTORE_URL';

/** Opened stores whose contents are not checked, for restore and repair. The caller must close them. */
export interface Stores {
  readonly log: EventLog;
  readonly rows: WorkingRows;
  readonly installation: InstallationStore;
  readonly setBacks: SetBacks;
  readonly fillLock: FillLock;
  /** Clock of the database, which leases use. */
  readonly leaseClock: Pick<Clock, 'now'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  close(): Promise<void>;
}

/**
 * Locks the filling of an empty log, by the first start of a service or by a restore. The lock ends with the process.
 */
export interface FillLock {
  /** Returns null if another process has the lock. Throws the errors of `work`. */
  tryRun<Result>(work: () => Promise<Result>): Promise<Result | null>;
}

/**
 * Identity of a database: `database` changes when a dump is restored elsewhere, `timeline` when it is restored or
 * promoted in place.
 */
interface DatabaseIdentity {
  /** Empty if the user is not allowed to read it. */
  readonly database: string;
  readonly timeline: string;
}

interface StoredInstallation extends DatabaseIdentity {
  readonly logId: string;
  /** Reason of a renewal of the feed's identity in progress; null if there is none. */
  readonly renewing: string | null;
}

export interface BegunRenewal {
  readonly identity: DatabaseIdentity;
  readonly logId: string;
  /** Checkpoints beyond this position do not belong to this log. */
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
  load(): Promise<StoredInstallation | null>;
  /** Stores the identity, and that no renewal is in progress. */
  keep(identity: DatabaseIdentity, logId: string): Promise<void>;
  lastEvents(logId: string): Promise<readonly EventMark[]>;
  /** Stores when a verified backup was made, in milliseconds since the epoch. Returns false if this is another log. */
  keepVerifiedBackup(logId: string, madeAt: number): Promise<boolean>;
  /** Returns when the newest verified backup was made; null before the first. */
  verifiedBackupMadeAt(): Promise<number | null>;
  /**
   * Stores the renewal, retires every read model that has folded beyond the log, so that it is rebuilt, and moves such
   * reactors back. Returns the names of the read models. Throws `StillHeld` if one of them has an owner. `now` is lease
   * clock time.
   */
  beginRenewal(renewal: BegunRenewal): Promise<readonly string[]>;
}

/**
 * State outside the log that cannot be derived from it. Rows are JSON text in the store's own format. `texts` are
 * documents as sources served them, `addresses` the versions that addresses served last.
 */
export const SAVED_TABLES = ['payments', 'wallets', 'inlet', 'unclassified', 'texts', 'addresses'] as const;
export type SavedTable = (typeof SAVED_TABLES)[number];

export const countsOfTables = (): Record<SavedTable, number> =>
  Object.fromEntries(SAVED_TABLES.map((table) => [table, 0])) as Record<SavedTable, number>;

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
  /**
   * Returns a page of rows after a key, null for the first page; empty at the end. Excludes payments without effects.
   */
  page(table: SavedTable, after: string | null, limit: number): Promise<readonly SavedRow[]>;
  trialClock(): Promise<TrialClock | null>;
  reactors(): Promise<readonly ReactorPlace[]>;
  /** Names existing data that a restore would mix with its own; null for an empty database. */
  occupiedBy(): Promise<string | null>;
  /**
   * Inserts missing rows. The outcome of a payment in progress becomes unknown, because it might have ended since the
   * backup.
   */
  put(table: SavedTable, rows: readonly string[]): Promise<void>;
  /**
   * Writes the rest in one transaction: budgets from the payments, checkpoints of reactors, the trial clock.
   * Idempotent.
   */
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
  /** Old and new positions for the columns, in any order. */
  readonly columns: readonly PositionColumn[];
  readonly pairs: readonly PlacePair[];
  /** Role of the log in the database of the read models: a source is sealed against appends, a target is unsealed. */
  readonly role: 'source' | 'target' | 'neither';
  /** Milliseconds of the lease clock. */
  readonly now: number;
  /** Called under the locks. If it returns false, the log has grown and nothing is moved. */
  readonly isComplete: () => Promise<boolean>;
}

/** Moves the checkpoints of all followers of a log to its copy: read models and reactors. */
export interface LogMoves {
  checkpoints(identity: string): Promise<readonly Position[]>;
  /** Returns the names of the read models and reactors that have an owner. */
  listOwned(now: number): Promise<readonly string[]>;
  /** Returns the live and building generations on this log. */
  generations(identity: string): Promise<readonly { readonly projection: string; readonly generation: number }[]>;
  /**
   * Rewrites every checkpoint in one transaction. Returns false if `isComplete` does. Throws `StillHeld` if one has an
   * owner.
   */
  move(move: LogMove): Promise<boolean>;
}

/** A read model or a reactor has an owner, so its checkpoint cannot be moved. */
export class StillHeld extends Error {
  override readonly name = 'StillHeld';
}
