import type { AppendOutcome, StreamAppend } from './event-log.ts';

export interface RewrittenEvent {
  readonly stream: string;
  readonly revision: number;
  readonly data: string;
  /** JSON text. */
  readonly metadata: string;
}

export interface ErasingLog {
  /** PostgreSQL rewrites the events in the same transaction; elsewhere readers apply the erasure. Throws what `EventLog.append` throws. */
  appendErasure(append: StreamAppend, rewritten: readonly RewrittenEvent[]): Promise<AppendOutcome>;
}

/** Copies of erased texts outside the log and the live read models. All of them can be derived again. */
export interface ErasedCopies {
  /**
   * Deletes decider checkpoints of these streams, results of paid calls created up to `until` (milliseconds since the epoch), and tables of
   * earlier builds. Resolves to the number of results that cannot be deleted yet, or may still be saved, because their payment is in
   * progress.
   */
  clear(streams: readonly string[], until: number): Promise<number>;
  /** Makes the database reclaim the space of rewritten and deleted rows that no open snapshot needs. */
  reclaim(): Promise<void>;
}
