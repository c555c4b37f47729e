/** Where a replica stands. It is stored together with the records, so that a page is applied once, whatever happens in between. */
export type ReplicaState =
  | { readonly phase: 'empty' }
  | {
      readonly phase: 'snapshot';
      readonly snapshotId: string;
      readonly boundaryCursor: string;
      /** By resource: what the snapshot says that its records add up to. */
      readonly digests: Readonly<Record<string, string>>;
      /** By resource: what the pages read so far add up to. */
      readonly sums: Readonly<Record<string, string>>;
      /** Resources that are not copied yet; the first is being read. */
      readonly resources: readonly string[];
      readonly pageCursor: string | null;
    }
  | { readonly phase: 'changes'; readonly cursor: string };

export interface ReplicaRecord {
  readonly resource: string;
  readonly id: string;
  /** Canonical JSON, as published. */
  readonly data: string;
}

export interface ReplicaCommit {
  readonly state: ReplicaState;
  readonly upserts: readonly ReplicaRecord[];
  readonly removes: readonly { readonly resource: string; readonly id: string }[];
  /**
   * `begin`: what is written from here on is a fresh copy beside the one that readers see. `finish`: the fresh copy takes its place, and what
   * it does not have is gone. Both in the transaction of this commit.
   */
  readonly copy?: 'begin' | 'finish';
}

/** Holds a replica. One replicator at a time uses it. */
export interface ReplicaStore {
  state(): Promise<ReplicaState>;
  /** All of it or nothing, durable when it resolves. */
  commit(commit: ReplicaCommit): Promise<void>;
  /** Every record of the copy that readers see. */
  records(): AsyncIterable<ReplicaRecord>;
  close(): Promise<void>;
}

/** What was given cannot be used: one line for the person at the terminal. */
export class ReplicaRefused extends Error {
  override readonly name = 'ReplicaRefused';
}
