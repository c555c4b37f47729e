import { CivicError } from '../api/errors.ts';
import { MIRROR_TABLES } from './mirror-tables.ts';
import { MirrorRefused, type MirrorState, type MirrorStore } from './mirror-store.ts';
import { addDigest, canonicalJson, digestSum, digestText, EMPTY_DIGEST, recordDigest } from '../../domain/digests.ts';
import { decodeFeedCursor } from '../../domain/cursor.ts';

export const MIRRORED: readonly string[] = Object.keys(MIRROR_TABLES);

/** Sends a request with the key, and again where that may help. Throws `CivicError` for a refusal. */
export type AskCivic = <Answer>(path: string, method?: 'GET' | 'POST') => Promise<Answer>;

interface Replication {
  readonly ask: AskCivic;
  readonly store: MirrorStore;
  /** Null: every resource. */
  readonly resource: string | null;
  /** True: ends at the head of the feed. False: continues until `sleep` rejects. */
  readonly once: boolean;
  readonly pollMs: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly onProgress: (records: number) => void;
  readonly onRestart: (reason: string) => void;
  /** A page that cannot be right is read again. */
  readonly onUnfitPage: (reason: string) => void;
  /** True: begins with a new snapshot, also where the mirror could continue. */
  readonly newSnapshot?: boolean;
}

export type Replicated = Awaited<ReturnType<typeof replicate>>;
type Copying = Extract<MirrorState, { phase: 'snapshot' }>;

interface Change {
  readonly cursor: string;
  readonly resource: string;
  readonly operation: 'upsert' | 'remove';
  readonly recordId: string;
  readonly data?: unknown;
}

export interface Page<Item, Cursor> {
  readonly data: { readonly items: readonly Item[] };
  readonly meta: { readonly nextCursor: Cursor; readonly hasMore: boolean; readonly digest?: string };
}

export const PAGE = 500;
const MAX_UNFIT_ANSWERS = 5;

/** An answer that contradicts what was asked, such as one that a proxy repeated. */
class UnfitAnswer extends MirrorRefused {}

/**
 * Takes a snapshot, then the changes after its boundary. Each page is one commit with its cursor, so that it takes effect once. After an
 * expired cursor or snapshot, or a copy that differs from its digests, it begins anew; readers see the former copy until the new one is complete
 * and equals its digests.
 */
export async function replicate(replication: Replication) {
  const { store, once, pollMs, sleep, onRestart, onUnfitPage, newSnapshot = false } = replication;
  let [snapshots, changes, unfit] = [0, 0, 0];
  const startAnew = async (): Promise<void> => {
    await begin(replication);
    snapshots += 1;
  };
  if (newSnapshot) await startAnew();
  for (;;) {
    const state = await store.state();
    try {
      if (state.phase === 'empty') await startAnew();
      else if (state.phase === 'snapshot') await copyPage(replication, state);
      else {
        const { applied, hasMore, cursor } = await applyChanges(replication, state.cursor);
        changes += applied;
        unfit = 0;
        if (hasMore) continue;
        await store.tidy(once);
        if (once) return { cursor, snapshots, changes };
        await sleep(pollMs);
      }
    } catch (error) {
      if (error instanceof UnfitAnswer && (unfit += 1) < MAX_UNFIT_ANSWERS) {
        if (state.phase === 'changes') {
          onUnfitPage(error.message);
          continue;
        }
      } else if (!mustStartAnew(error, state)) throw error;
      onRestart((error as Error).message);
      await startAnew();
    }
  }
}

/** Whether the snapshot or the position of the cursor has expired. */
const mustStartAnew = (error: unknown, state: MirrorState): error is CivicError =>
  error instanceof CivicError && (error.status === 410 || (error.status === 404 && state.phase === 'snapshot'));

async function begin({ ask, store, resource }: Replication): Promise<void> {
  const { data } = await ask<{ data: Pick<Copying, 'snapshotId' | 'boundaryCursor' | 'digests'> }>('/api/v1/data/snapshots', 'POST');
  const { snapshotId, boundaryCursor, digests } = data;
  const resources = resource === null ? MIRRORED : [resource];
  const state: Copying = { phase: 'snapshot', snapshotId, boundaryCursor, digests, sums: {}, resources, pageCursor: null };
  await store.commit({ state, upserts: [], removes: [], copy: 'begin' });
}

async function copyPage({ ask, store, onProgress }: Replication, state: Copying): Promise<void> {
  const [resource, ...others] = state.resources as readonly [string, ...string[]];
  const cursor = state.pageCursor === null ? '' : `&cursor=${state.pageCursor}`;
  const { data, meta } = await ask<Page<{ readonly id: string }, string | null>>(
    `/api/v1/data/snapshots/${state.snapshotId}/${resource}?limit=${PAGE}${cursor}`,
  );
  const upserts = data.items.map((item) => ({ resource, id: item.id, data: canonicalJson(item) }));
  let sum = digestSum(state.sums[resource] ?? EMPTY_DIGEST);
  for (const { id, data: text } of upserts) sum = addDigest(sum, recordDigest(resource, id, text));
  const sums = { ...state.sums, [resource]: digestText(sum) };
  onProgress(upserts.length);
  if (meta.hasMore) return store.commit({ state: { ...state, sums, pageCursor: meta.nextCursor }, upserts, removes: [] });
  // After an erasure, the last page gives the digest of what the pages show now.
  if (sums[resource] !== (meta.digest ?? state.digests[resource])) {
    throw new UnfitAnswer(`the snapshot's ${resource} do not match its digest; the mirror is unchanged`);
  }
  if (others.length > 0) return store.commit({ state: { ...state, sums, resources: others, pageCursor: null }, upserts, removes: [] });
  return store.commit({ state: { phase: 'changes', cursor: state.boundaryCursor }, upserts, removes: [], copy: 'finish' });
}

async function applyChanges({ ask, store, resource, onProgress }: Replication, cursor: string) {
  const filter = resource === null ? '' : `&resource=${resource}`;
  const { data, meta } = await ask<Page<Change, string>>(`/api/v1/data/changes?limit=${PAGE}&cursor=${cursor}${filter}`);
  requireOrder(data.items, cursor, meta.nextCursor, resource === null);
  // Of several changes of one record in a page the last one counts.
  const last = new Map(data.items.map((item) => [`${item.resource} ${item.recordId}`, item]));
  const upserts = [...last.values()]
    .filter(({ operation }) => operation === 'upsert')
    .map((item) => ({ resource: item.resource, id: item.recordId, data: canonicalJson(item.data) }));
  const removes = [...last.values()]
    .filter(({ operation }) => operation === 'remove')
    .map((item) => ({ resource: item.resource, id: item.recordId }));
  if (meta.nextCursor !== cursor) await store.commit({ state: { phase: 'changes', cursor: meta.nextCursor }, upserts, removes });
  onProgress(data.items.length);
  return { applied: data.items.length, hasMore: meta.hasMore, cursor: meta.nextCursor };
}

/** Positions are dense: a page that skips, repeats or reorders is not applied. Neither is one of a resource that has no table. */
function requireOrder(items: readonly Change[], cursor: string, nextCursor: string, dense: boolean): void {
  let previous = positionOf(cursor);
  for (const { cursor: at, resource } of items) {
    const position = positionOf(at);
    if (position <= previous || (dense && position !== previous + 1)) {
      throw new UnfitAnswer(`feed position ${position} came after ${previous}; nothing of that page was applied`);
    }
    if (!MIRRORED.includes(resource))
      throw new MirrorRefused(`the service has a resource ${resource}, which this program does not know: install a newer one`);
    previous = position;
  }
  const next = positionOf(nextCursor);
  if (next < previous || (dense && next !== previous)) {
    throw new UnfitAnswer(`feed position ${next} follows a page that ends at ${previous}; nothing of that page was applied`);
  }
}

/** Throws `MirrorRefused` for a text that is no cursor of the feed. */
export function positionOf(text: string): number {
  const cursor = decodeFeedCursor(text);
  if (typeof cursor === 'string') throw new MirrorRefused(`a cursor of the feed is ${cursor}`);
  return cursor.position;
}
