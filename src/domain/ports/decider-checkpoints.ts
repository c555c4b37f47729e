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

/**
 * Where checkpoints of long streams are kept, one for each stream and decider. They are derived: whatever is lost, stale or damaged costs
 * one reading of the stream from its start, never a wrong decision, so that neither function throws.
 */
export interface DeciderCheckpoints {
  load(stream: string, decider: string): Promise<DeciderCheckpoint | null>;
  /** Takes the place of the one before: each is made at the end of its stream, so the latest is the furthest. */
  save(checkpoint: DeciderCheckpoint): Promise<void>;
}
