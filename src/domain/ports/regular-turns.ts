/** One process's turn at work that comes up again and again: the token grows with every turn. */
export interface RegularTurn {
  readonly name: string;
  readonly owner: string;
  readonly token: number;
}

/** Who has the turn at regular work among all processes on a database. Times are milliseconds of the lease clock. */
export interface RegularTurns {
  /** Null when it is not due yet, or somebody is at it. Nothing is written then. */
  take(name: string, owner: string, now: number, leaseMs: number): Promise<RegularTurn | null>;
  /** False when the turn has gone to somebody else. */
  renew(turn: RegularTurn, leaseUntil: number): Promise<boolean>;
  /** Gives the turn back; without effect when somebody else has it. */
  end(turn: RegularTurn, dueAt: number): Promise<void>;
}
