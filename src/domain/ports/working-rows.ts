import type { Position } from './event-log.ts';

/** What is kept beside the log and cannot be told from it: rows as the JSON text that the store itself writes and reads. */
export const SAVED_TABLES = ['payments', 'wallets', 'inlet'] as const;
export type SavedTable = (typeof SAVED_TABLES)[number];

export interface SavedRow {
  /** Orders the rows of a table; the next page begins after it. */
  readonly key: string;
  /** One line of JSON. */
  readonly text: string;
}

export interface TrialClock {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly offsetMs: number;
}

/** How far a reactor has followed the log. */
export interface ReactorPlace {
  readonly name: string;
  readonly checkpoint: Position;
}

export interface RestoredRows {
  readonly trialClock: TrialClock | null;
  readonly reactors: readonly ReactorPlace[];
  readonly logId: string;
}

/** Working rows as a backup takes them and a restore puts them. */
export interface WorkingRows {
  /** A page of a table's rows after a key, null for its first; empty at its end. Payments for which nothing had happened yet are left out. */
  page(table: SavedTable, after: string | null, limit: number): Promise<readonly SavedRow[]>;
  trialClock(): Promise<TrialClock | null>;
  reactors(): Promise<readonly ReactorPlace[]>;
  /** Names what is there already and would be mixed with what is restored; null where nothing is. */
  occupiedBy(): Promise<string | null>;
  /**
   * Puts rows where they are not. A payment that was in flight comes as one of unknown outcome: only the chain, the facilitator or an
   * operator knows what became of it since.
   */
  put(table: SavedTable, rows: readonly string[]): Promise<void>;
  /** The rest, in one transaction: budgets as the payments add up to, reactors' places, the trial clock. Doing it again changes nothing. */
  finish(restored: RestoredRows): Promise<void>;
}
