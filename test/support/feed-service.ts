import { randomUUID } from 'node:crypto';
import { CivicError } from '../../client/api/index.ts';
import type { AskCivic } from '../../client/mirror/feed-pages.ts';
import { addDigest, canonicalJson, digestText, recordDigest } from '../../domain/digests.ts';
import { decodeFeedCursor, encodeFeedCursor } from '../../domain/cursor.ts';
import { RESOURCES } from '../../domain/records/resources.ts';

interface Change {
  readonly resource: string;
  readonly recordId: string;
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** A feed in memory with the guarantees of the interface, for tests of a mirror. */
export class FeedService {
  feedId: string = randomUUID();
  readonly changes: Change[] = [];
  /** Cursors below it are 410. */
  floor = 0;
  readonly #snapshots = new Map<string, number>();
  readonly #pageSize: number;
  constructor(pageSize: number) {
    this.#pageSize = pageSize;
  }

  write(resource: string, recordId: string, data: Readonly<Record<string, unknown>> | null): void {
    this.changes.push({ resource, recordId, data: data === null ? null : { id: recordId, ...data } });
  }

  /** Current records by resource, their ids in order. */
  at(position: number, resource: string): readonly (readonly [string, string])[] {
    const records = new Map<string, string>();
    for (const change of this.changes.slice(0, position)) {
      if (change.resource !== resource) continue;
      if (change.data === null) records.delete(change.recordId);
      else records.set(change.recordId, canonicalJson(change.data));
    }
    return [...records].toSorted(([left], [right]) => (left < right ? -1 : 1));
  }

  digests(position: number): Readonly<Record<string, string>> {
    return Object.fromEntries(
      RESOURCES.map((resource) => [
        resource,
        digestText(
          this.at(position, resource).reduce((sum, [id, data]) => addDigest(sum, recordDigest(resource, id, data)), 0n),
        ),
      ]),
    );
  }

  loseSnapshots(): void {
    this.#snapshots.clear();
  }

  readonly ask: AskCivic = async <Answer>(path: string): Promise<Answer> => {
    const url = new URL(path, 'http://feed.example');
    const parts = url.pathname.split('/').slice(4);
    if (parts[0] === 'snapshots') return (parts.length === 1 ? this.#create() : this.#page(parts, url)) as Answer;
    return this.#read(url) as Answer;
  };

  #cursor(position: number, binding: 'nothing' | 'all' = 'all'): string {
    return encodeFeedCursor({ feedId: this.feedId, position, fingerprint: null, binding });
  }

  #create(): unknown {
    const snapshotId = randomUUID();
    const boundary = this.changes.length;
    this.#snapshots.set(snapshotId, boundary);
    return { data: { snapshotId, boundaryCursor: this.#cursor(boundary, 'nothing'), digests: this.digests(boundary) } };
  }

  #page([, snapshotId, resource]: readonly string[], url: URL): unknown {
    const boundary = this.#snapshots.get(snapshotId!);
    if (boundary === undefined) throw new CivicError('not_found', 'there is no such snapshot', { status: 404 });
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const all = this.at(boundary, resource!);
    const items = all.slice(from, from + this.#pageSize).map(([, data]) => JSON.parse(data) as object);
    const hasMore = from + this.#pageSize < all.length;
    return { data: { items }, meta: { nextCursor: hasMore ? String(from + this.#pageSize) : null, hasMore } };
  }

  #read(url: URL): unknown {
    const cursor = decodeFeedCursor(url.searchParams.get('cursor')!);
    if (typeof cursor === 'string') throw new CivicError('invalid_parameter', cursor, { status: 400 });
    if (cursor.feedId !== this.feedId || cursor.position < this.floor)
      throw new CivicError('cursor_expired', 'too old', { status: 410 });
    const resource = url.searchParams.get('resource');
    const after = this.changes
      .map((change, index) => ({ ...change, position: index + 1 }))
      .slice(cursor.position)
      .filter((change) => resource === null || change.resource === resource);
    const page = after.slice(0, this.#pageSize);
    const hasMore = after.length > page.length;
    const items = page.map((change) => ({
      cursor: this.#cursor(change.position),
      resource: change.resource,
      operation: change.data === null ? 'remove' : 'upsert',
      recordId: change.recordId,
      ...(change.data === null ? {} : { data: change.data }),
    }));
    return {
      data: { items },
      meta: { nextCursor: this.#cursor(hasMore ? page.at(-1)!.position : this.changes.length), hasMore },
    };
  }
}
