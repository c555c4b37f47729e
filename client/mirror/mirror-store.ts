/** Progress of a mirror. Committed together with the records, so that each page takes effect once. */
export type MirrorState =
  | { readonly phase: 'empty' }
  | {
      readonly phase: 'snapshot';
      readonly snapshotId: string;
      readonly boundaryCursor: string;
      /** Both by resource; `sums` of the pages read so far. */
      readonly digests: Readonly<Record<string, string>>;
      readonly sums: Readonly<Record<string, string>>;
      /** Resources that are not copied yet; the first is being read. */
      readonly resources: readonly string[];
      readonly pageCursor: string | null;
    }
  | { readonly phase: 'changes'; readonly cursor: string };

export interface MirrorRecord {
  readonly resource: string;
  readonly id: string;
  /** Canonical JSON, as published. */
  readonly data: string;
}

export interface MirrorCommit {
  readonly state: MirrorState;
  readonly upserts: readonly MirrorRecord[];
  readonly removes: readonly { readonly resource: string; readonly id: string }[];
  /** `begin`: from this commit on, a new copy is written that readers do not see. `finish`: with this commit, it replaces the old one. */
  readonly copy?: 'begin' | 'finish';
}

/** One replicator at a time uses it. */
export interface MirrorStore {
  state(): Promise<MirrorState>;
  /** Atomic, and durable when it resolves. */
  commit(commit: MirrorCommit): Promise<void>;
  /** Of the copy that readers see. */
  records(): AsyncIterable<MirrorRecord>;
  close(): Promise<void>;
}

/** SQL that ends a new copy in a database: readers see `civic_records`, and the copy is written to `civic_records_fresh`. */
export const FINISH_COPY =
  'delete from civic_records; insert into civic_records select * from civic_records_fresh; delete from civic_records_fresh';

/** A store, address or answer cannot be used; the message is one line. */
export class MirrorRefused extends Error {
  override readonly name = 'MirrorRefused';
}
