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
      /** By resource, and of the pages of the first resource; absent in what an earlier version stored. */
      readonly counts?: Readonly<Record<string, number>>;
      readonly copied?: number;
      readonly filter?: MirrorFilter;
    }
  | { readonly phase: 'changes'; readonly cursor: string; readonly filter?: MirrorFilter };

/** The one resource that is mirrored, or null for every one. Absent in what an earlier version stored. */
type MirrorFilter = string | null;

export interface RecordName {
  readonly resource: string;
  readonly id: string;
}

export interface MirrorRecord extends RecordName {
  /** Canonical JSON, as published. */
  readonly data: string;
}

export interface MirrorCommit {
  readonly state: MirrorState;
  readonly upserts: readonly MirrorRecord[];
  readonly removes: readonly RecordName[];
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
  /** At the head of the feed: returns free space and removes replaced text from the disk; may put it off unless `now`. */
  tidy(now: boolean): Promise<void>;
  /** After `StoreAway`: opens the store again. Throws `StoreAway` while it is away. */
  reopen?(): Promise<void>;
  close(): Promise<void>;
}

/** A store, address or answer cannot be used; the message is one line. */
export class MirrorRefused extends Error {
  override readonly name = 'MirrorRefused';
}

/** A store does not answer now and may answer later. What was not committed before is lost to it. */
export class StoreAway extends MirrorRefused {}

/** The refusal of a store that cannot be opened or written. */
export function unusable(store: string, error: unknown, advice?: string): MirrorRefused {
  const { message, detail } = error as Error & { readonly detail?: string };
  const said = message.includes('already exists') ? 'a mirror needs one of its own' : advice;
  const remedy = said === undefined ? '' : `; ${said}`;
  return new MirrorRefused(`${store} cannot be used: ${message}${detail === undefined ? '' : ` (${detail})`}${remedy}`);
}
