import { decodeFeedCursor } from '../../domain/cursor.ts';
import { PageSize } from '../api/page-size.ts';
import { MirrorRefused } from './mirror-store.ts';
import { MIRROR_TABLES } from './mirror-tables.ts';

export const MIRRORED: readonly string[] = Object.keys(MIRROR_TABLES);

/** Sends a request with the key and retries it if that might help. Throws `CivicError` for an error response. */
export type AskCivic = <Answer>(path: string, method?: 'GET' | 'POST') => Promise<Answer>;

/** One reader with its page size, which adapts to the size of the records. */
export interface PageReader {
  readonly ask: AskCivic;
  readonly size: PageSize;
}

const PAGE = 500;
export const createPageReader = (ask: AskCivic): PageReader => ({ ask, size: new PageSize(PAGE) });

/** A response that contradicts the request, such as one that a proxy repeated. Nothing of it was applied. */
export class UnfitAnswer extends MirrorRefused {}

interface Snapshot {
  readonly snapshotId: string;
  readonly boundaryCursor: string;
  readonly digests: Readonly<Record<string, string>>;
  /** Earlier versions did not store it. */
  readonly counts?: Readonly<Record<string, number>>;
}

interface Page<Item, Cursor> {
  readonly data: { readonly items: readonly Item[] };
  readonly meta: { readonly nextCursor: Cursor; readonly hasMore: boolean; readonly digest?: string };
}

export type Item = Readonly<Record<string, unknown>> & { readonly id: string };

interface Change {
  readonly cursor: string;
  readonly resource: string;
  readonly operation: 'upsert' | 'remove';
  readonly recordId: string;
  readonly data?: Item;
}

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const isId = (id: unknown): boolean => typeof id === 'string' && ID.test(id);

/** Reads a page and checks only the fields that a mirror relies on, since responses may gain fields. */
async function askPage<Each, Cursor>({ ask, size }: PageReader, path: string): Promise<Page<Each, Cursor>> {
  const page = await size.read((limit) => ask<Partial<Page<Each, Cursor>> | null>(`${path}limit=${limit}`));
  if (!Array.isArray(page?.data?.items) || typeof page.meta?.hasMore !== 'boolean')
    throw new UnfitAnswer('a response of the service is not a page');
  return page as Page<Each, Cursor>;
}

/** Takes a snapshot. `resource` is the resource to copy; null copies every resource. */
export async function takeSnapshot(ask: AskCivic, resource: string | null): Promise<Snapshot> {
  const data = (await ask<{ readonly data?: Partial<Snapshot> } | null>('/api/v1/data/snapshots', 'POST'))?.data;
  if (!isId(data?.snapshotId) || typeof data?.digests !== 'object')
    throw new UnfitAnswer('a response of the service is not a snapshot');
  const snapshot = data as Snapshot;
  positionOf(snapshot.boundaryCursor);
  if (resource === null) Object.keys(snapshot.digests).forEach(requireKnown);
  return snapshot;
}

export async function readSnapshotPage(
  reader: PageReader,
  snapshotId: string,
  resource: string,
  cursor: string | null,
) {
  const after = cursor === null ? '' : `cursor=${encodeURIComponent(cursor)}&`;
  const page = await askPage<Item, string | null>(reader, `/api/v1/data/snapshots/${snapshotId}/${resource}?${after}`);
  const { data, meta } = page;
  if (meta.hasMore && (typeof meta.nextCursor !== 'string' || meta.nextCursor === cursor || data.items.length === 0))
    throw new UnfitAnswer(`the snapshot has more ${resource}, but the next cursor did not advance`);
  if (!data.items.every(({ id }) => isId(id)))
    throw new UnfitAnswer(`the snapshot's ${resource} have an id that is not a uuid`);
  return page;
}

/** Reads the changes after a cursor that `positionOf` accepts. */
export async function readChanges(
  reader: PageReader,
  cursor: string,
  resource: string | null,
): Promise<Page<Change, string>> {
  const filter = resource === null ? '' : `resource=${resource}&`;
  const page = await askPage<Change, string>(reader, `/api/v1/data/changes?cursor=${cursor}&${filter}`);
  const { data, meta } = page;
  requireOrder(data.items, cursor, meta.nextCursor, resource === null);
  if (meta.hasMore && meta.nextCursor === cursor)
    throw new UnfitAnswer('a page of the feed has no changes, but hasMore is true');
  const fits = ({ operation, recordId, data: record }: Change): boolean =>
    isId(recordId) && (operation === 'remove' || (operation === 'upsert' && record?.id === recordId));
  if (!data.items.every(fits)) throw new UnfitAnswer('a page of the feed has a change without its record');
  return page;
}

function requireKnown(resource: string): void {
  if (!MIRRORED.includes(resource))
    throw new MirrorRefused(
      `the service has a resource ${resource}, which this program does not know: install a newer one`,
    );
}

/** Throws for a page that skips, repeats or reorders positions, which are dense, or that has a resource without a table. */
function requireOrder(items: readonly Change[], cursor: string, nextCursor: string, dense: boolean): void {
  let previous = positionOf(cursor);
  for (const { cursor: at, resource } of items) {
    const position = positionOf(at);
    if (position <= previous || (dense && position !== previous + 1)) {
      throw new UnfitAnswer(`feed position ${position} came after ${previous}; nothing of that page was applied`);
    }
    requireKnown(resource);
    previous = position;
  }
  const next = positionOf(nextCursor);
  if (next < previous || (dense && next !== previous)) {
    throw new UnfitAnswer(
      `feed position ${next} follows a page that ends at ${previous}; nothing of that page was applied`,
    );
  }
}

/** Throws `UnfitAnswer` for a text that is not a cursor of the feed. */
export function positionOf(text: string): number {
  const cursor = typeof text === 'string' ? decodeFeedCursor(text) : 'no text';
  if (typeof cursor === 'string') throw new UnfitAnswer(`a cursor of the feed is ${cursor}`);
  return cursor.position;
}
