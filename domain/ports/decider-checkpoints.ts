/** The folded state of a stream at one of its events. A command resumes from it instead of reading the stream from its start. */
export interface DeciderCheckpoint {
  readonly stream: string;
  /** Name and version of the decider that folded it. */
  readonly decider: string;
  readonly version: number;
  /** The last event folded. Its revision and id must both match the stream; otherwise the state belongs to another stream. */
  readonly revision: number;
  readonly eventId: string;
  /** JSON text. */
  readonly state: string;
  /** A digest of the other fields; detects a damaged or edited row. */
  readonly seal: string;
}

export interface LoadedCheckpoint {
  readonly kept: DeciderCheckpoint | null;
  /** Number of checkpoint drops by erasures when the row was loaded; null where that is unknown. */
  readonly mark: string | null;
}

/**
 * Stores checkpoints of long streams, one for each stream and decider. They are derived: a lost, stale or damaged one costs a read of the
 * stream from its start and never a wrong decision. Neither function throws.
 */
export interface DeciderCheckpoints {
  load(stream: string, decider: string): Promise<LoadedCheckpoint>;
  /**
   * Replaces the stored checkpoint: each is made at the end of its stream, so the latest is the furthest. Stores nothing when `mark`, as
   * loaded before the first event was read, is no longer current: an erasure may have changed what was folded.
   */
  save(checkpoint: DeciderCheckpoint, mark: string | null): Promise<void>;
}
