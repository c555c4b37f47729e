import { addDigest, canonicalJson, digestText, recordDigest } from '../../domain/digests.ts';
import type { MirrorStore } from './mirror-store.ts';
import {
  type AskCivic,
  type Item,
  MIRRORED,
  createPageReader,
  positionOf,
  readSnapshotPage,
  takeSnapshot,
} from './feed-pages.ts';

/**
 * Compares the mirror with digests of the service, and its columns with the JSON of their rows. `resource` is the mirror's filter; the result
 * lists the resources that differ, with the description of a row whose columns alone differ.
 */
export async function compareMirror(
  store: MirrorStore,
  digests: Readonly<Record<string, string>>,
  resource: string | null,
) {
  const sums = new Map<string, bigint>();
  for await (const record of store.records()) {
    const text = canonicalJson(JSON.parse(record.data));
    sums.set(
      record.resource,
      addDigest(sums.get(record.resource) ?? 0n, recordDigest(record.resource, record.id, text)),
    );
  }
  const different: { readonly name: string; readonly stale: string | null }[] = [];
  for (const name of resource === null ? MIRRORED : [resource]) {
    const isSame = digestText(sums.get(name) ?? 0n) === digests[name];
    const stale = isSame ? ((await store.findStale?.(name)) ?? null) : null;
    if (!isSame || stale !== null) different.push({ name, stale });
  }
  return { equal: different.length === 0, different };
}

async function* readSnapshotItems(ask: AskCivic, snapshotId: string, resource: string): AsyncIterable<Item> {
  const reader = createPageReader(ask);
  for (let cursor: string | null = null; ; ) {
    const { data, meta } = await readSnapshotPage(reader, snapshotId, resource, cursor);
    yield* data.items;
    if (!meta.hasMore) return;
    cursor = meta.nextCursor;
  }
}

async function findRecord(store: MirrorStore, resource: string, id: string): Promise<Item> {
  for await (const record of store.records()) {
    if (record.resource === resource && record.id === id) return JSON.parse(record.data) as Item;
  }
  return { id };
}

/**
 * Describes the first record of a resource that differs between a new snapshot and a mirror at `cursor`; looks at the records of the snapshot
 * first, then at those that only the mirror has. Null if none differs, or if the service has changed since, so that the two cannot be compared.
 */
export async function firstDifference(
  ask: AskCivic,
  store: MirrorStore,
  resource: string,
  cursor: string,
): Promise<string | null> {
  const { snapshotId, boundaryCursor } = await takeSnapshot(ask, resource);
  if (positionOf(boundaryCursor) !== positionOf(cursor)) return null;
  const digestOf = (record: unknown, id: string) => recordDigest(resource, id, canonicalJson(record));
  const own = new Map<string, string>();
  for await (const record of store.records()) {
    if (record.resource === resource) own.set(record.id, digestOf(JSON.parse(record.data), record.id));
  }
  for await (const item of readSnapshotItems(ask, snapshotId, resource)) {
    const digest = own.get(item.id);
    own.delete(item.id);
    if (digest === undefined) return `${item.id} is missing in the mirror`;
    if (digest === digestOf(item, item.id)) continue;
    const stored = await findRecord(store, resource, item.id);
    const fields = [...new Set([...Object.keys(stored), ...Object.keys(item)])].filter(
      (field) => canonicalJson(stored[field] ?? null) !== canonicalJson(item[field] ?? null),
    );
    return `${item.id} differs in ${fields.toSorted().join(', ')}`;
  }
  const [extra] = own.keys();
  return extra === undefined ? null : `the service does not have ${extra}`;
}
