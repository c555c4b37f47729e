import { addDigest, canonicalJson, digestText, recordDigest } from '../../domain/digests.ts';
import { decodeFeedCursor } from '../../domain/cursor.ts';
import { RESOURCES } from '../../domain/records/resources.ts';

interface FeedItem {
  readonly cursor: string;
  readonly resource: string;
  readonly operation: 'upsert' | 'remove';
  readonly recordId: string;
  readonly version: string;
  readonly changedAt: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

interface FeedPageAnswer {
  readonly data: { readonly items: readonly FeedItem[] };
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}

/** The feed broke its guarantees. */
export class FeedBroken extends Error {
  override readonly name = 'FeedBroken';
}

function require(holds: boolean, what: string): void {
  if (!holds) throw new FeedBroken(what);
}

/**
 * A customer's copy of the unfiltered feed. A page that skips, repeats, reorders or contradicts throws `FeedBroken`.
 */
export class FeedMirror {
  /** Key `resource id`, value the canonical text of `data`. */
  readonly records = new Map<string, string>();
  /** Texts of the items in order, without their cursors; the n-th is feed position n. */
  readonly changes: string[] = [];
  cursor: string | null = null;
  #feedId: string | null = null;
  #changedAt = '';
  readonly #versions = new Map<string, number>();

  get position(): number {
    return this.changes.length;
  }

  /** Applies a page as a whole; the next is read from `cursor`. */
  apply({ data: { items }, meta }: FeedPageAnswer): void {
    for (const item of items) this.#apply(item);
    require(this.#positionOf(meta.nextCursor) ===
      this.position, `nextCursor is not the end of its page at ${this.position}`);
    require(items.length > 0 || !meta.hasMore, `an empty page at ${this.position} says that there is more`);
    this.cursor = meta.nextCursor;
  }

  digests(): Readonly<Record<string, string>> {
    const sums = new Map<string, bigint>(RESOURCES.map((resource) => [resource, 0n]));
    for (const [key, data] of this.records) {
      const [resource, id] = key.split(' ') as [string, string];
      sums.set(resource, addDigest(sums.get(resource) ?? 0n, recordDigest(resource, id, data)));
    }
    return Object.fromEntries([...sums].map(([resource, sum]) => [resource, digestText(sum)]));
  }

  #apply(item: FeedItem): void {
    const at = this.#positionOf(item.cursor);
    require(at === this.position + 1, `position ${at} came after position ${this.position}`);
    require(item.changedAt >= this.#changedAt, `time went back at position ${at}`);
    const key = `${item.resource} ${item.recordId}`;
    const version = Number(item.version);
    require(version ===
      (this.#versions.get(key) ?? 0) + 1, `version ${version} of ${key} came after ${this.#versions.get(key) ?? 0}`);
    if (item.operation === 'remove') require(this.records.delete(key), `${key} was removed at ${at} and was not there`);
    else this.records.set(key, canonicalJson(item.data));
    this.#versions.set(key, version);
    this.#changedAt = item.changedAt;
    const { cursor: _, ...rest } = item;
    this.changes.push(canonicalJson(rest));
  }

  #positionOf(text: string): number {
    const cursor = decodeFeedCursor(text);
    if (typeof cursor === 'string') throw new FeedBroken(`a cursor is ${cursor}`);
    this.#feedId ??= cursor.feedId;
    require(cursor.feedId === this.#feedId, 'the feed has become another');
    return cursor.position;
  }
}

export type Ask = (path: string, options?: { readonly method?: string }) => Promise<Response>;

/** Reads from the cursor of the mirror to the last head seen. `limit` is called before each page. */
export async function catchUp(mirror: FeedMirror, ask: Ask, limit: () => number): Promise<void> {
  for (;;) {
    const after = mirror.cursor === null ? '' : `&cursor=${mirror.cursor}`;
    const answer = await ask(`/api/v1/data/changes?limit=${limit()}${after}`);
    if (answer.status !== 200) throw new UnexpectedAnswer(answer.status, await answer.text());
    const page = (await answer.json()) as FeedPageAnswer;
    mirror.apply(page);
    if (!page.meta.hasMore) return;
  }
}

export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
  readonly status: number;
  constructor(status: number, body: string) {
    super(`${status}: ${body.slice(0, 500)}`);
    this.status = status;
  }
}

export interface SnapshotCopy {
  readonly records: ReadonlyMap<string, string>;
  readonly digests: Readonly<Record<string, string>>;
  readonly position: number;
}

/** Takes a snapshot and reads every page of it. */
export async function readSnapshot(ask: Ask, limit: () => number): Promise<SnapshotCopy> {
  const created = await ask('/api/v1/data/snapshots', { method: 'POST' });
  if (created.status !== 201) throw new UnexpectedAnswer(created.status, await created.text());
  const { data } = (await created.json()) as {
    data: {
      snapshotId: string;
      boundaryCursor: string;
      counts: Record<string, number>;
      digests: Record<string, string>;
    };
  };
  const records = new Map<string, string>();
  for (const resource of RESOURCES) {
    let read = 0;
    for (let cursor: string | null = null; ; ) {
      const answer: Response = await ask(
        `/api/v1/data/snapshots/${data.snapshotId}/${resource}?limit=${limit()}${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      if (answer.status !== 200) throw new UnexpectedAnswer(answer.status, await answer.text());
      const page = (await answer.json()) as {
        data: { items: { id: string }[] };
        meta: { nextCursor: string | null; hasMore: boolean };
      };
      for (const item of page.data.items) records.set(`${resource} ${item.id}`, canonicalJson(item));
      read += page.data.items.length;
      cursor = page.meta.nextCursor;
      if (!page.meta.hasMore) break;
    }
    require(read ===
      data.counts[resource], `the snapshot counts ${data.counts[resource]} ${resource} and gives ${read}`);
  }
  const boundary = decodeFeedCursor(data.boundaryCursor);
  if (typeof boundary === 'string') throw new FeedBroken(`the boundary is ${boundary}`);
  return { records, digests: data.digests, position: boundary.position };
}
