/** A reason for which the last sync of a source left out rows or published meetings incompletely. */
export interface CheckReason {
  /** `rejected` records were not valid. */
  readonly effect: 'skipped' | 'degraded' | 'rejected';
  /** The reason of the first row; addresses and long numbers in it can differ in the others. */
  readonly reason: string;
  readonly count: number;
  /** The first row, such as "event 471". */
  readonly example: string;
  /** Public address of the first row. */
  readonly address?: string;
}

/** The last sync of one source. */
export interface SourceCheck {
  /** Platform and client: "civicplus:www.example.gov". */
  readonly sourceKey: string;
  /** The `sources` records that it checked; none if the first sync of a source failed. */
  readonly sourceIds: readonly string[];
  /** Milliseconds since the epoch. */
  readonly checkedAt: number;
  /** Reason why the source could not be read as a whole; null if it could. */
  readonly failure: string | null;
  /** Number of syncs in a row that could not. */
  readonly failures: number;
  /** The most frequent ones, the most frequent first. */
  readonly reasons: readonly CheckReason[];
}

/** Results of the last sync of each source. Each sync replaces its row. It is neither in the log nor in a backup. */
export interface SourceChecks {
  list(): Promise<readonly SourceCheck[]>;
  /** Counts the failures in a row. */
  put(check: Omit<SourceCheck, 'failures'>): Promise<void>;
  remove(sourceKey: string): Promise<void>;
}
