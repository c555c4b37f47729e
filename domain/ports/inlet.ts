export interface InletPart {
  readonly topic: string;
  readonly partition: number;
}

/** Changes whose append has begun: the command, and the revision of each stream before it. */
export interface InletClaim {
  readonly commandId: string;
  /** Offset after its last message. */
  readonly to: bigint;
  readonly revisions: ReadonlyMap<string, number>;
}

export interface TakenPart {
  /** Grows with each takeover; writes with an older token are refused. */
  readonly token: number;
  /** Every message before this offset is complete. */
  readonly next: bigint;
  /** Begun and not complete: the changes may be appended, in whole or in part. */
  readonly claim: InletClaim | null;
}

/** Progress of each partition. Stored beside the read models, because the offset at the brokers is committed only after the append. */
export interface InletStore {
  take(part: InletPart): Promise<TakenPart>;
  /** Before the append. Replaces revisions of the same command's claim and keeps its others. False when another owner has the partition. */
  claim(part: InletPart, token: number, claim: InletClaim): Promise<boolean>;
  /** Settles every message before this offset, and the claim. False as above. */
  complete(part: InletPart, token: number, next: bigint): Promise<boolean>;
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
