import type { AppendOutcome, StreamAppend } from './event-log.ts';

/** An event as it reads after an erasure. */
export interface RewrittenEvent {
  readonly stream: string;
  readonly revision: number;
  readonly data: string;
  /** JSON text. */
  readonly metadata: string;
}

/** Where an erasure is written. */
export interface ErasingLog {
  /**
   * Appends an erasure. A store that can rewrites the events in the same transaction; in one that cannot the old bytes stay, and readers
   * apply the erasure. Throws what `EventLog.append` throws.
   */
  appendErasure(append: StreamAppend, rewritten: readonly RewrittenEvent[]): Promise<AppendOutcome>;
}

/** What may hold a copy of a text beside the log and the read models that serve: none of it is needed, all of it can be made again. */
export interface ErasureTraces {
  /**
   * Lets go of decider checkpoints of these streams, of answers to paid calls that were saved until then (milliseconds since the epoch), and of
   * tables that are kept of earlier builds. Resolves to the number of answers that cannot go yet, or may be saved yet, since
   * their payment is under way.
   */
  clear(streams: readonly string[], until: number): Promise<number>;
  /** Has the database free the space of what was rewritten and deleted, as far as no reader is in the way. */
  reclaim(): Promise<void>;
}
