/** Progress of a mirror. Committed together with the records, so that each page takes effect once. */
export type MirrorState =
  | { readonly phase: 'empty' }
  | {
      readonly phase: 'snapshot';
      readonly snapshotId: string;
      readonly boundaryCursor: string;
      /** Digests and sums by resource; a sum covers the pages read so far. */
      readonly digests: Readonly<Record<string, string>>;
      readonly sums: Readonly<Record<string, string>>;
      /** Resources that are not copied yet; the first is being read. */
      readonly resources: readonly string[];
      readonly pageCursor: string | null;
      /** Record counts by resource, and the number copied of the first resource. Earlier versions did not store them. */
      readonly counts?: Readonly<Record<string, number>>;
      readonly copied?: number;
      readonly filter?: MirrorFilter;
    }
  | { readonly phase: 'changes'; readonly cursor: string; readonly filter?: MirrorFilter };

/** The one resource that is mirrored; null means every resource. Earlier versions did not store it. */
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
  /** `begin` starts a new copy that readers do not see. `finish` replaces the old copy with it. */
  readonly copy?: 'begin' | 'finish';
}

/** One replicator at a time uses it. */
export interface MirrorStore {
  state(): Promise<MirrorState>;
  /** Atomic, and durable when it resolves. */
  commit(commit: MirrorCommit): Promise<void>;
  /** Yields the records of the copy that readers see. */
  records(): AsyncIterable<MirrorRecord>;
  /** Describes the first row of a resource whose columns differ from its JSON; null if none does. A store without columns lacks it. */
  findStale?(resource: string): Promise<string | null>;
  /** Frees space and removes replaced text from the disk; called at the head of the feed. May postpone the work unless `now`. */
  tidy(now: boolean): Promise<void>;
  /** Reopens the store after `StoreAway`. Throws `StoreAway` while it is unavailable. */
  reopen?(): Promise<void>;
  close(): Promise<void>;
}

/** A store, address or response cannot be used; the message is one line. */
export class MirrorRefused extends Error {
  override readonly name = 'MirrorRefused';
}

/** A store is unavailable for now. Uncommitted data is lost. */
export class StoreAway extends MirrorRefused {}

/** Creates the error for a store that cannot be opened or written. */
export function unusable(store: string, error: unknown, advice?: string): MirrorRefused {
  const { message, detail } = error as Error & { readonly detail?: string };
  const hint = message.includes('already exists') ? 'a mirror needs one of its own' : advice;
  const remedy = hint === undefined ? '' : `; ${hint}`;
  return new MirrorRefused(`${store} cannot be used: ${message}${detail === undefined ? '' : ` (${detail})`}${remedy}`);
}
