import type { Position } from './event-log.ts';

/** A column of a read model with positions of the log. It is rewritten when the log moves. */
export interface PositionColumn {
  readonly table: string;
  readonly column: string;
}

export type PlacePair = readonly [from: Position, to: Position];

export interface LogMove {
  readonly from: string;
  readonly to: string;
  /** New position of each checkpoint. */
  readonly places: ReadonlyMap<Position, Position>;
  /** For the columns with positions; pairs in any order. */
  readonly columns: readonly PositionColumn[];
  readonly pairs: readonly PlacePair[];
  /** Which log is in the database of the read models: as the source it is sealed against appends, as the target unsealed. */
  readonly here: 'source' | 'target' | 'neither';
  /** Milliseconds of the lease clock. */
  readonly now: number;
  /** Called under the locks. When it resolves to false, the log has grown, and nothing is moved. */
  readonly isComplete: () => Promise<boolean>;
}

/** Moves the checkpoints of all followers of a log to its copy: read models and reactors. */
export interface LogMoves {
  checkpoints(identity: string): Promise<readonly Position[]>;
  /** Names of the read models and reactors that have an owner now. */
  held(now: number): Promise<readonly string[]>;
  /** Live and building generations on this log. */
  generations(identity: string): Promise<readonly { readonly projection: string; readonly generation: number }[]>;
  /** Rewrites every checkpoint in one transaction; false when `isComplete` is false. Throws `StillHeld` while a follower has an owner. */
  move(move: LogMove): Promise<boolean>;
}

/** A read model or a reactor has an owner, so its checkpoint cannot be moved. */
export class StillHeld extends Error {
  override readonly name = 'StillHeld';
}
