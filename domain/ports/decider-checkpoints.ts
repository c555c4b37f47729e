/** The folded state of a stream at one of its events. A command resumes from it instead of reading the stream from its start. */
export interface DeciderCheckpoint {
  readonly stream: string;
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

/** One checkpoint per stream and decider. A lost, stale or damaged one costs a read of the stream from its start. Never throws. */
export interface DeciderCheckpoints {
  load(stream: string, decider: string): Promise<LoadedCheckpoint>;
  /**
   * Replaces the stored checkpoint: each is made at the end of its stream, so the latest is the furthest. Stores nothing when `mark`, as
   * loaded before the first event was read, is no longer current: an erasure may have changed what was folded.
   */
  save(checkpoint: DeciderCheckpoint, mark: string | null): Promise<void>;
}
