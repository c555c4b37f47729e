import type { Position } from './event-log.ts';

/** A column of a read model that holds positions of the log: it must follow when the log moves. */
export interface PositionColumn {
  readonly table: string;
  readonly column: string;
}

/** A position of one log and of the same event in another. */
export type PlacePair = readonly [from: Position, to: Position];

export interface LogMove {
  /** Identities of the two logs. */
  readonly from: string;
  readonly to: string;
  /** Where each checkpoint goes. */
  readonly places: ReadonlyMap<Position, Position>;
  /** For the columns that hold positions; pairs in any order. */
  readonly columns: readonly PositionColumn[];
  readonly pairs: readonly PlacePair[];
  /** Which of the two is in the database of the read models: it takes no append once it is left, and takes them again once it is come back to. */
  readonly here: 'source' | 'target' | 'neither';
  /** Milliseconds of the lease clock. */
  readonly now: number;
  /** Asked under the locks: false when the log has grown meanwhile, and nothing is moved. */
  readonly isComplete: () => Promise<boolean>;
}

/** Who follows a log, and how they are put on its copy. */
export interface LogMoves {
  /** Checkpoints of read models and reactors on this log. */
  checkpoints(identity: string): Promise<readonly Position[]>;
  /** Names of the read models and reactors that somebody runs now. */
  held(now: number): Promise<readonly string[]>;
  /** Generations that serve or are being built from this log. */
  generations(identity: string): Promise<readonly { readonly projection: string; readonly generation: number }[]>;
  /** Writes every checkpoint anew in one transaction; false when `isComplete` says so. Throws `StillHeld` while somebody runs one. */
  move(move: LogMove): Promise<boolean>;
}

/** A read model or a reactor is being run, so that its checkpoint cannot be moved. */
export class StillHeld extends Error {
  override readonly name = 'StillHeld';
}
