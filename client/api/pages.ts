import type { ChangesPage, RecordRemoval, RecordUpsert, ResourceName, SearchAgendaArguments } from '../generated/contract.ts';
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
  /** The cursor to continue after; without one, the oldest change that is replayable. */
  readonly cursor?: string | undefined;
  readonly resource?: Name | undefined;
  /** Items of a page; of large records fewer are asked for. */
  readonly limit?: number | undefined;
  /** Milliseconds between two reads at the head of the feed; without it, the pages end there. */
  readonly pollMs?: number | undefined;
}

export interface SnapshotAsked<Name extends ResourceName = ResourceName> {
  readonly snapshotId: string;
  readonly resource: Name;
  readonly limit?: number | undefined;
}

type SearchPage = Tools['search_agenda']['data'];

/** Iterators over pages and over their items. Each reads a page when it is asked for; what it throws ends it. */
export interface Pages {
  /** Store `meta.nextCursor` together with what you did with the page. Throws `cursor_expired` where a snapshot must be taken. */
  changePages<Name extends ResourceName = ResourceName>(
    asked?: ChangesAsked<Name>,
    options?: CallOptions,
  ): AsyncGenerator<ChangesPageOf<Name>, void>;
  /** Each change has its own `cursor`. */
  changes<Name extends ResourceName = ResourceName>(
    asked?: ChangesAsked<Name>,
    options?: CallOptions,
  ): AsyncGenerator<ChangeOf<Name>, void>;
  snapshotPages<Name extends ResourceName>(asked: SnapshotAsked<Name>, options?: CallOptions): AsyncGenerator<SnapshotPageOf<Name>, void>;
  snapshotRecords<Name extends ResourceName>(asked: SnapshotAsked<Name>, options?: CallOptions): AsyncGenerator<RecordOf<Name>, void>;
  /** Pages of `search_agenda`, the best matches first. */
  searchPages(asked: SearchAgendaArguments, options?: CallOptions): AsyncGenerator<SearchPage, void>;
  searchResults(asked: SearchAgendaArguments, options?: CallOptions): AsyncGenerator<SearchPage['results'][number], void>;
}

/** Throws for an answer that is no page, and for one after which its reader would ask for the same page for ever. */
function requireNext(hasMore: unknown, cursor: string | undefined, next: unknown): void {
  if (typeof hasMore !== 'boolean') throw new CivicError('not_json', 'the answer is no page: check the base URL', { status: 200 });
  if (hasMore && (typeof next !== 'string' || next === cursor)) {
    throw new CivicError('unknown', 'the page says that more follow, and leads to no other page', { status: 200 });
  }
}

export function pagesOver(operations: Operations, callTool: CallTool, { pause }: Transport): Pages {
  const pages: Pages = {
    async *changePages({ cursor, resource, limit, pollMs } = {}, options) {
      const size = new PageSize(limit);
      for (let after = cursor; ; ) {
        const page = await size.read((items) => operations.readCivicChanges({ query: { cursor: after, resource, limit: items } }, options));
        requireNext(page?.meta?.hasMore, after, page?.meta?.nextCursor);
        yield page as never;
        after = page.meta.nextCursor;
        if (page.meta.hasMore) continue;
        if (pollMs === undefined) return;
        await pause(pollMs, options);
      }
    },
    async *changes(asked, options) {
      for await (const { data } of pages.changePages(asked, options)) yield* data.items;
    },
    async *snapshotPages({ snapshotId, resource, limit }, options) {
      const size = new PageSize(limit);
      const path = { snapshotId, resource };
      for (let cursor: string | undefined; ; ) {
        const page = await size.read((items) => operations.readCivicSnapshotPage({ path, query: { cursor, limit: items } }, options));
        requireNext(page?.meta?.hasMore, cursor, page?.meta?.nextCursor);
        yield page as never;
        if (!page.meta.hasMore) return;
        cursor = page.meta.nextCursor ?? undefined;
      }
    },
    async *snapshotRecords(asked, options) {
      for await (const { data } of pages.snapshotPages(asked, options)) yield* data.items;
    },
    async *searchPages(asked, options) {
      for (let { cursor } = asked; ; ) {
        const page = await callTool('search_agenda', { ...asked, cursor }, options);
        requireNext(page.nextCursor !== null, cursor, page.nextCursor);
        yield page;
        if (page.nextCursor === null) return;
        cursor = page.nextCursor;
      }
    },
    async *searchResults(asked, options) {
      for await (const { results } of pages.searchPages(asked, options)) yield* results;
    },
  };
  return pages;
}
