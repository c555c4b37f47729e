/**
 * Folded state of a stream at one of its events. A command resumes from it instead of reading the stream from its
 * start.
 */
export interface DeciderCheckpoint {
  readonly stream: string;
  readonly decider: string;
  readonly version: number;
  /**
   * Last folded event. Its revision and id must both match the stream; otherwise the state belongs to another stream.
   */
  readonly revision: number;
  readonly eventId: string;
  /** JSON text. */
  readonly state: string;
  /** Digest of the other fields, which detects a damaged or edited row. */
  readonly seal: string;
}

/**
 * Stores one checkpoint per stream and decider. Without a usable one the stream is read from its start. Never throws.
 */
export interface DeciderCheckpoints {
  /**
   * Loads a checkpoint. `mark` is the number of erasures that had dropped checkpoints at that time; null if unknown.
   */
  load(
    stream: string,
    decider: string,
  ): Promise<{ readonly checkpoint: DeciderCheckpoint | null; readonly mark: string | null }>;
  /** Replaces the checkpoint. Stores nothing if an erasure has come since `mark` was loaded. */
  save(checkpoint: DeciderCheckpoint, mark: string | null): Promise<void>;
}
