import { ApiRefusal, type AskCivic } from './civic-api.ts';
import { openDirectoryStore } from './directory-store.ts';
import { openPostgresStore } from './postgres-store.ts';
import { MirrorRefused, type MirrorState, type MirrorStore } from './mirror-store.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { addDigest, canonicalJson, digestSum, digestText, EMPTY_DIGEST, recordDigest } from '../../domain/digests.ts';
import { decodeFeedCursor } from '../../domain/cursor.ts';
import { RESOURCES } from '../../domain/records/resources.ts';

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

interface Page<Item, Cursor> {
  readonly data: { readonly items: readonly Item[] };
  readonly meta: { readonly nextCursor: Cursor; readonly hasMore: boolean };
}

const PAGE = 500;

/**
 * Takes a snapshot, then the changes after its boundary. Each page is one commit with its cursor, so that it takes effect once. After an
 * expired cursor or snapshot it begins anew; readers see the former copy until the new one is complete and equals its digests.
 */
export async function replicate(replication: Replication) {
  const { store, once, pollMs, sleep, onRestart } = replication;
  let [snapshots, changes] = [0, 0];
  for (;;) {
    const state = await store.state();
    try {
      if (state.phase === 'empty') {
        await begin(replication);
        snapshots += 1;
      } else if (state.phase === 'snapshot') await copyPage(replication, state);
      else {
        const { applied, hasMore, cursor } = await applyChanges(replication, state.cursor);
        changes += applied;
        if (hasMore) continue;
        if (once) return { cursor, snapshots, changes };
        await sleep(pollMs);
      }
    } catch (error) {
      if (!mustStartAnew(error, state)) throw error;
      onRestart(error.message);
      await begin(replication);
      snapshots += 1;
    }
  }
}

/** Whether the snapshot or the position of the cursor has expired. */
const mustStartAnew = (error: unknown, state: MirrorState): error is ApiRefusal =>
  error instanceof ApiRefusal && (error.status === 410 || (error.status === 404 && state.phase === 'snapshot'));

async function begin({ ask, store, resource }: Replication): Promise<void> {
  const { data } = await ask<{ data: Pick<Copying, 'snapshotId' | 'boundaryCursor' | 'digests'> }>('/api/v1/data/snapshots', 'POST');
  const { snapshotId, boundaryCursor, digests } = data;
  const resources = resource === null ? RESOURCES : [resource];
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
  if (sums[resource] !== state.digests[resource]) {
    throw new MirrorRefused(`the snapshot's ${resource} do not match its digest; the mirror is unchanged`);
  }
  if (others.length > 0) return store.commit({ state: { ...state, sums, resources: others, pageCursor: null }, upserts, removes: [] });
  return store.commit({ state: { phase: 'changes', cursor: state.boundaryCursor }, upserts, removes: [], copy: 'finish' });
}

async function applyChanges({ ask, store, resource, onProgress }: Replication, cursor: string) {
  const filter = resource === null ? '' : `&resource=${resource}`;
  const { data, meta } = await ask<Page<Change, string>>(`/api/v1/data/changes?limit=${PAGE}&cursor=${cursor}${filter}`);
  requireOrder(data.items, cursor, resource === null);
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

/** Positions are dense: a page that skips, repeats or reorders is not applied. */
function requireOrder(items: readonly Change[], cursor: string, dense: boolean): void {
  let previous = positionOf(cursor);
  for (const item of items) {
    const position = positionOf(item.cursor);
    if (position <= previous || (dense && position !== previous + 1)) {
      throw new MirrorRefused(`feed position ${position} came after ${previous}; nothing of that page was applied`);
    }
    previous = position;
  }
}

function positionOf(text: string): number {
  const cursor = decodeFeedCursor(text);
  if (typeof cursor === 'string') throw new MirrorRefused(`a cursor of the feed is ${cursor}`);
  return cursor.position;
}

/** Compares the mirror with the digests of a state of the service; `resource` is the mirror's filter, `different` the resources that differ. */
export async function compareMirror(store: MirrorStore, digests: Readonly<Record<string, string>>, resource: string | null) {
  const sums = new Map<string, bigint>();
  for await (const record of store.records()) {
    const text = canonicalJson(JSON.parse(record.data));
    sums.set(record.resource, addDigest(sums.get(record.resource) ?? 0n, recordDigest(record.resource, record.id, text)));
  }
  const different = (resource === null ? RESOURCES : [resource]).filter((name) => digestText(sums.get(name) ?? 0n) !== digests[name]);
  return { equal: different.length === 0, different };
}

/** A store by its address: `sqlite:FILE`, `postgres://…`, or a folder. Throws `MirrorRefused`. */
export async function openMirrorStore(to: string): Promise<MirrorStore> {
  if (to.startsWith('sqlite:')) return openSqliteStore(to.slice('sqlite:'.length));
  return /^postgres(ql)?:\/\//.test(to) ? openPostgresStore(to) : openDirectoryStore(to);
}
