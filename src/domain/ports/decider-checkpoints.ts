/** A stream's folded state at one of its events, so that a command need not read the stream from its start. */
export interface DeciderCheckpoint {
  readonly stream: string;
  /** Name and version of what folded it. */
  readonly decider: string;
  readonly version: number;
  /** The last event folded: both must still be found in the stream, or the state is of another one. */
  readonly revision: number;
  readonly eventId: string;
  /** JSON text. */
  readonly state: string;
  /** Of all of the above; a row that was damaged or edited does not have it. */
  readonly seal: string;
}

export interface LoadedCheckpoint {
  readonly kept: DeciderCheckpoint | null;
  /** How far erasures had been seen to when it was looked for; null where that could not be told. */
  readonly mark: string | null;
}

/**
 * Where checkpoints of long streams are kept, one for each stream and decider. They are derived: whatever is lost, stale or damaged costs
 * one reading of the stream from its start, never a wrong decision, so that neither function throws.
 */
export interface DeciderCheckpoints {
  load(stream: string, decider: string): Promise<LoadedCheckpoint>;
  /**
   * Takes the place of the one before: each is made at the end of its stream, so the latest is the furthest. Nothing is kept unless `mark`, as
   * loaded before the first event was read, is still the one that stands: an erasure since may be of what was folded.
   */
  save(checkpoint: DeciderCheckpoint, mark: string | null): Promise<void>;
}
