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

/** One checkpoint per stream and decider. A lost, stale or damaged one costs a read of the stream from its start. Never throws. */
export interface DeciderCheckpoints {
  /** `mark`: number of checkpoint drops by erasures when the row was loaded; null where that is unknown. */
  load(stream: string, decider: string): Promise<{ readonly kept: DeciderCheckpoint | null; readonly mark: string | null }>;
  /** Replaces: the latest is the furthest. Stores nothing when `mark`, loaded before the first event, is outdated by an erasure. */
  save(checkpoint: DeciderCheckpoint, mark: string | null): Promise<void>;
}
