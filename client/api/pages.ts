import type {
  ChangesPage,
  RecordRemoval,
  RecordUpsert,
  ResourceName,
  SearchAgendaArguments,
} from '../generated/contract.ts';
import type { Tools } from '../generated/operations.ts';
import { CivicError } from './errors.ts';
import type { Answer, Operations } from './operations.ts';
import { PageSize } from './page-size.ts';
import type { CallTool } from './tools.ts';
import type { CallOptions, Transport } from './transport.ts';

type UpsertOf<Name extends ResourceName> = Extract<RecordUpsert, { readonly resource: Name }>;
/** A record of a resource. */
export type RecordOf<Name extends ResourceName> = UpsertOf<Name>['data'];
/** A change of a resource. */
export type ChangeOf<Name extends ResourceName> = UpsertOf<Name> | (RecordRemoval & { readonly resource: Name });

interface PageOf<Item, Meta> {
  readonly data: { readonly items: readonly Item[] };
  readonly meta: Meta;
}
type ChangesPageOf<Name extends ResourceName> = PageOf<ChangeOf<Name>, ChangesPage['meta']>;
type SnapshotPageOf<Name extends ResourceName> = PageOf<RecordOf<Name>, Answer<'readCivicSnapshotPage'>['meta']>;

export interface ChangesAsked<Name extends ResourceName = ResourceName> {
  /** Cursor to continue after; without it, reading starts at the oldest replayable change. */
  readonly cursor?: string | undefined;
  readonly resource?: Name | undefined;
  /** Items per page; the client requests fewer if the records are large. */
  readonly pageSize?: number | undefined;
  /** Milliseconds between two reads at the head of the feed; without it, the iterator ends there. */
  readonly pollMs?: number | undefined;
}

export interface SnapshotAsked<Name extends ResourceName = ResourceName> {
  readonly snapshotId: string;
  readonly resource: Name;
  readonly pageSize?: number | undefined;
}

/** Total number of items that an iterator over items yields; without it, all. */
export interface Limited {
  readonly limit?: number | undefined;
}

/** Arguments of `search_agenda`, whose `limit` is the page size here. */
export interface SearchAsked extends Omit<SearchAgendaArguments, 'limit'> {
  readonly pageSize?: number | undefined;
}

type SearchPage = Tools['search_agenda']['data'];

/** Iterators over pages and over their items. Each reads its next page on demand and ends when it throws. */
export interface Pages {
  /** Store `meta.nextCursor` together with your changes from the page. Throws `cursor_expired` if you must take a new snapshot. */
  changePages<Name extends ResourceName = ResourceName>(
    query?: ChangesAsked<Name>,
    options?: CallOptions,
  ): AsyncGenerator<ChangesPageOf<Name>, void>;
  /** Each change has its own `cursor`. */
  changes<Name extends ResourceName = ResourceName>(
    query?: ChangesAsked<Name> & Limited,
    options?: CallOptions,
  ): AsyncGenerator<ChangeOf<Name>, void>;
  snapshotPages<Name extends ResourceName>(
    query: SnapshotAsked<Name>,
    options?: CallOptions,
  ): AsyncGenerator<SnapshotPageOf<Name>, void>;
  snapshotRecords<Name extends ResourceName>(
    query: SnapshotAsked<Name> & Limited,
    options?: CallOptions,
  ): AsyncGenerator<RecordOf<Name>, void>;
  /** Pages of `search_agenda`, the best matches first. */
  searchPages(query: SearchAsked, options?: CallOptions): AsyncGenerator<SearchPage, void>;
  searchResults(
    query: SearchAsked & Limited,
    options?: CallOptions,
  ): AsyncGenerator<SearchPage['results'][number], void>;
}

/** Throws for a response that is not a page, and for a page whose next cursor would make the reader loop. */
function requireNext(hasMore: unknown, cursor: string | undefined, next: unknown): void {
  if (typeof hasMore !== 'boolean')
    throw new CivicError('not_json', 'the response is not a page: check the base URL', { status: 200 });
  if (hasMore && (typeof next !== 'string' || next === cursor)) {
    throw new CivicError('unknown', 'hasMore is true but nextCursor did not advance', { status: 200 });
  }
}

/** Maximum results of a page of `search_agenda`. */
const LARGEST_SEARCH_PAGE = 20;

/** Yields the items of pages, `limit` at most. Requests no page after the last item. */
async function* takeItems<Page, Item>(
  limit: number | undefined,
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item, void> {
  let remaining = limit ?? Infinity;
  if (remaining <= 0) return;
  for await (const page of pages) {
    const items = itemsOf(page).slice(0, remaining);
    yield* items;
    remaining -= items.length;
    if (remaining === 0) return;
  }
}

/** Returns the size of a page that has no more items than are wanted. */
const smallerSize = (pageSize: number | undefined, limit: number | undefined): number | undefined =>
  limit === undefined ? pageSize : Math.min(limit, pageSize ?? limit);

export function pagesOver(operations: Operations, callTool: CallTool, { pause }: Transport): Pages {
  const pages: Pages = {
    async *changePages({ cursor, resource, pageSize, pollMs } = {}, options) {
      const size = new PageSize(pageSize);
      for (let after = cursor; ; ) {
        const page = await size.read((items) =>
          operations.readCivicChanges({ query: { cursor: after, resource, limit: items } }, options),
        );
        requireNext(page?.meta?.hasMore, after, page?.meta?.nextCursor);
        yield page as never;
        after = page.meta.nextCursor;
        if (page.meta.hasMore) continue;
        if (pollMs === undefined) return;
        await pause(pollMs, options);
      }
    },
    changes({ limit, ...query } = {}, options) {
      const sized = { ...query, pageSize: smallerSize(query.pageSize, limit) };
      return takeItems(limit, pages.changePages(sized, options), ({ data }) => data.items);
    },
    async *snapshotPages({ snapshotId, resource, pageSize }, options) {
      const size = new PageSize(pageSize);
      const path = { snapshotId, resource };
      for (let cursor: string | undefined; ; ) {
        const page = await size.read((items) =>
          operations.readCivicSnapshotPage({ path, query: { cursor, limit: items } }, options),
        );
        requireNext(page?.meta?.hasMore, cursor, page?.meta?.nextCursor);
        yield page as never;
        if (!page.meta.hasMore) return;
        cursor = page.meta.nextCursor ?? undefined;
      }
    },
    snapshotRecords({ limit, ...query }, options) {
      const sized = { ...query, pageSize: smallerSize(query.pageSize, limit) };
      return takeItems(limit, pages.snapshotPages(sized, options), ({ data }) => data.items);
    },
    async *searchPages({ pageSize, ...query }, options) {
      for (let { cursor } = query; ; ) {
        const sized = pageSize === undefined ? query : { ...query, limit: pageSize };
        const page = await callTool('search_agenda', { ...sized, cursor }, options);
        requireNext(page.nextCursor !== null, cursor, page.nextCursor);
        yield page;
        if (page.nextCursor === null) return;
        cursor = page.nextCursor;
      }
    },
    searchResults({ limit, ...query }, options) {
      const largest = limit === undefined ? undefined : Math.min(limit, LARGEST_SEARCH_PAGE);
      const sized = { ...query, pageSize: smallerSize(query.pageSize, largest) };
      return takeItems(limit, pages.searchPages(sized, options), ({ results }) => results);
    },
  };
  return pages;
}
