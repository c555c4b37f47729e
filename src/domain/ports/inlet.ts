/** One partition of the topic that record changes are taken from. */
export interface InletPart {
  readonly topic: string;
  readonly partition: number;
}

/** Changes that somebody began to write: which ones, as which command, and at which revision each stream stood right before. */
export interface InletClaim {
  readonly commandId: string;
  /** Offset behind the last of its messages. */
  readonly to: bigint;
  readonly revisions: ReadonlyMap<string, number>;
}

export interface TakenPart {
  /** Grows with each taking: what an earlier one still wants to note is refused. */
  readonly token: number;
  /** Every message before this offset is settled. */
  readonly next: bigint;
  /** Begun and not settled: it may have been written, in whole or in part. */
  readonly claim: InletClaim | null;
}

/** How far each partition has been taken. Kept beside the read models and not with the brokers, whose own note comes after the writing. */
export interface InletStore {
  take(part: InletPart): Promise<TakenPart>;
  /** Noted before anything is written; revisions of streams that a claim of the same command holds already are replaced, the others stay. False when another has taken the partition. */
  claim(part: InletPart, token: number, claim: InletClaim): Promise<boolean>;
  /** Everything before this offset is settled, and the claim with it. False as above. */
  settle(part: InletPart, token: number, next: bigint): Promise<boolean>;
}

export interface InletMessage {
  readonly offset: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

export interface RefusedMessage extends InletMessage {
  readonly part: InletPart;
  readonly reason: string;
}
