import { CivicError } from '../api/errors.ts';
import {
  type AskCivic,
  MIRRORED,
  createPageReader,
  type PageReader,
  readChanges,
  readSnapshotPage,
  takeSnapshot,
  UnfitAnswer,
} from './feed-pages.ts';
import { MirrorRefused, type MirrorState, type MirrorStore, StoreAway } from './mirror-store.ts';
import { addDigest, canonicalJson, digestSum, digestText, EMPTY_DIGEST, recordDigest } from '../../domain/digests.ts';
import { Backoff } from '../../plumbing/retry.ts';

interface Replication {
  readonly ask: AskCivic;
  readonly store: MirrorStore;
  /** The resource to mirror; null mirrors every resource. */
  readonly resource: string | null;
  /** True: ends at the head of the feed. False: continues until `sleep` rejects. */
  readonly once: boolean;
  readonly pollMs: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly onProgress: (records: number) => void;
  /** Called before a pause and a new snapshot. */
  readonly onRestart: (reason: string, pauseMs: number) => void;
  /** Called once for each reason why the store is unavailable; it is retried until it responds. */
  readonly onStoreAway?: (reason: string) => void;
  /** Called when the store responds again. */
  readonly onStoreBack?: () => void;
  /** Called before an inconsistent page is read again. */
  readonly onUnfitPage: (reason: string) => void;
  /** True: starts from a new snapshot even if the mirror could continue. */
  readonly newSnapshot?: boolean;
}

export type Replicated = Awaited<ReturnType<typeof replicate>>;
type Copying = Extract<MirrorState, { phase: 'snapshot' }>;

const MAX_UNFIT_ANSWERS = 5;
/** Snapshots in a row without a page of changes before a replication with `once` gives up. */
const MAX_SNAPSHOTS = 5;
const RESTART_PAUSES_MS = [1000, 3_600_000] as const;
const REOPEN_PAUSES_MS = [1000, 30_000] as const;

/**
 * Copies a snapshot, then applies the changes after its boundary. Each page is one commit with its cursor, so that it takes effect once.
 * Restarts from a new snapshot if the cursor or the snapshot has expired, or if the copy differs from its digests. Readers see the old copy
 * until the new one is complete and matches its digests. The pauses between repeated snapshots grow.
 */
export async function replicate(replication: Replication) {
  const { ask, store, once, pollMs, sleep, onUnfitPage } = replication;
  const reader = createPageReader(ask);
  let [snapshots, records, changes, unfit, failedSnapshots] = [0, 0, 0, 0, 0];
  let mustRestart = replication.newSnapshot ?? false;
  const pauses = new Backoff(...RESTART_PAUSES_MS);
  for (;;) {
    let state: MirrorState | undefined;
    try {
      state = mustRestart ? { phase: 'empty' } : await store.state();
      requireFilter(state, replication.resource);
      if (state.phase === 'empty') {
        await begin(replication);
        mustRestart = false;
        snapshots += 1;
      } else if (state.phase === 'snapshot') records += await copyPage(replication, reader, state);
      else {
        const { applied, hasMore, cursor } = await applyChanges(replication, reader, state.cursor);
        changes += applied;
        [unfit, failedSnapshots] = [0, 0];
        pauses.reset();
        if (hasMore) continue;
        await store.tidy(once);
        if (once) return { cursor, snapshots, records, changes };
        await sleep(pollMs);
      }
    } catch (error) {
      if (error instanceof StoreAway && !once && store.reopen !== undefined) {
        await reopen(replication, error);
        continue;
      }
      if (error instanceof UnfitAnswer && (unfit += 1) < MAX_UNFIT_ANSWERS) {
        if (state?.phase === 'changes') {
          onUnfitPage(error.message);
          continue;
        }
      } else if (!isExpired(error, state)) throw error;
      failedSnapshots += 1;
      await waitForRestart(replication, error, { failedSnapshots, pauses });
      mustRestart = true;
    }
  }
}

/** Waits before a new snapshot. Throws `MirrorRefused` if too many snapshots in a row led to no copy. */
async function waitForRestart(
  { once, sleep, onRestart }: Replication,
  { message }: Error,
  { failedSnapshots, pauses }: { readonly failedSnapshots: number; readonly pauses: Backoff },
): Promise<void> {
  if (once && failedSnapshots > MAX_SNAPSHOTS) {
    throw new MirrorRefused(
      `${MAX_SNAPSHOTS} snapshots in succession led to no copy, the last because: ${message}; run it again later`,
    );
  }
  // The first restart needs no pause: it is normal for a mirror that was stopped for a long time.
  const pauseMs = failedSnapshots === 1 ? 0 : pauses.take();
  onRestart(message, pauseMs);
  if (pauseMs > 0) await sleep(pauseMs);
}

async function reopen({ store, sleep, onStoreAway, onStoreBack }: Replication, error: StoreAway): Promise<void> {
  const pauses = new Backoff(...REOPEN_PAUSES_MS);
  let reported = '';
  for (let away = error; ; ) {
    if (away.message !== reported) onStoreAway?.((reported = away.message));
    await sleep(pauses.take());
    try {
      await store.reopen!();
      onStoreBack?.();
      return;
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error;
      away = error;
    }
  }
}

/** True if the snapshot or the position of the cursor has expired. */
const isExpired = (error: unknown, state: MirrorState | undefined): error is CivicError =>
  error instanceof CivicError && (error.status === 410 || (error.status === 404 && state?.phase === 'snapshot'));

/** Throws `MirrorRefused` for a mirror of other resources: it would miss records, or retain some that no change updates. */
function requireFilter(state: MirrorState, resource: string | null): void {
  if (state.phase === 'empty' || state.filter === undefined || state.filter === resource) return;
  const [mirrored, requested] = [state.filter, resource].map((name) => name ?? 'every resource');
  throw new MirrorRefused(
    `the mirror contains ${mirrored}, not ${requested}: name another mirror or the same resource, or replace it with --new-snapshot`,
  );
}

async function begin({ ask, store, resource }: Replication): Promise<void> {
  const { snapshotId, boundaryCursor, digests, counts } = await takeSnapshot(ask, resource);
  const resources = resource === null ? MIRRORED : [resource];
  const state: Copying = {
    phase: 'snapshot',
    snapshotId,
    boundaryCursor,
    digests,
    ...(counts && { counts }),
    sums: {},
    resources,
    pageCursor: null,
    filter: resource,
  };
  await store.commit({ state, upserts: [], removes: [], copy: 'begin' });
}

/** Resolves to the number of records on the page. */
async function copyPage(
  { store, resource: filter, onProgress }: Replication,
  reader: PageReader,
  state: Copying,
): Promise<number> {
  const [resource, ...others] = state.resources as readonly [string, ...string[]];
  const { data, meta } = await readSnapshotPage(reader, state.snapshotId, resource, state.pageCursor);
  const upserts = data.items.map((item) => ({ resource, id: item.id, data: canonicalJson(item) }));
  let sum = digestSum(state.sums[resource] ?? EMPTY_DIGEST);
  for (const { id, data: text } of upserts) sum = addDigest(sum, recordDigest(resource, id, text));
  const sums = { ...state.sums, [resource]: digestText(sum) };
  const copied = (state.pageCursor === null ? 0 : (state.copied ?? 0)) + upserts.length;
  if (copied > (state.counts?.[resource] ?? Infinity))
    throw new UnfitAnswer(`the snapshot has more ${resource} than it counts`);
  onProgress(upserts.length);
  // After an erasure, the last page has the digest of the current content of the pages.
  if (!meta.hasMore && sums[resource] !== (meta.digest ?? state.digests[resource])) {
    throw new UnfitAnswer(`the snapshot's ${resource} do not match its digest; the mirror is unchanged`);
  }
  const page = { upserts, removes: [] };
  if (meta.hasMore) await store.commit({ state: { ...state, sums, copied, pageCursor: meta.nextCursor }, ...page });
  else if (others.length > 0)
    await store.commit({ state: { ...state, sums, resources: others, pageCursor: null }, ...page });
  else
    await store.commit({ state: { phase: 'changes', cursor: state.boundaryCursor, filter }, ...page, copy: 'finish' });
  return upserts.length;
}

async function applyChanges({ store, resource, onProgress }: Replication, reader: PageReader, cursor: string) {
  const { data, meta } = await readChanges(reader, cursor, resource);
  // If a page has several changes of one record, the last one wins.
  const last = new Map(data.items.map((item) => [`${item.resource} ${item.recordId}`, item]));
  const upserts = [...last.values()]
    .filter(({ operation }) => operation === 'upsert')
    .map((item) => ({ resource: item.resource, id: item.recordId, data: canonicalJson(item.data) }));
  const removes = [...last.values()]
    .filter(({ operation }) => operation === 'remove')
    .map((item) => ({ resource: item.resource, id: item.recordId }));
  if (meta.nextCursor !== cursor)
    await store.commit({ state: { phase: 'changes', cursor: meta.nextCursor, filter: resource }, upserts, removes });
  onProgress(data.items.length);
  return { applied: data.items.length, hasMore: meta.hasMore, cursor: meta.nextCursor };
}
