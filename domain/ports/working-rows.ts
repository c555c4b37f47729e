import type { Position } from './event-log.ts';

/** State beside the log that cannot be derived from it: rows as the JSON text that the store itself writes and reads. */
export const SAVED_TABLES = ['payments', 'wallets', 'inlet'] as const;
export type SavedTable = (typeof SAVED_TABLES)[number];

export interface SavedRow {
  /** Orders the rows of a table. The next page begins after it. */
  readonly key: string;
  /** One line of JSON. */
  readonly text: string;
}

export interface TrialClock {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly offsetMs: number;
}

export interface ReactorPlace {
  readonly name: string;
  readonly checkpoint: Position;
}

export interface RestoredRows {
  readonly trialClock: TrialClock | null;
  readonly reactors: readonly ReactorPlace[];
  readonly logId: string;
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
  finish(restored: RestoredRows): Promise<void>;
}
