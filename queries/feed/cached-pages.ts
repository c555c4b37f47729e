import { LRUCache } from 'lru-cache';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import type { WrittenPage } from '../json-text.ts';
import { type FeedPage, type PageCheck, pageCheckStatement } from './feed-page.ts';

/** Limit of the cache in bytes. */
const CACHE_BYTES = 16 * 1024 * 1024;
/** Upper estimate of the bytes of a page without its text. */
const PAGE_OVERHEAD = 2_000;

export type PageOrigin = 'memory' | 'database';

interface CachedPage {
  /** Page without its items. */
  readonly page: FeedPage;
  readonly answer: WrittenPage;
}

/** Caches the text of full feed pages (docs/decisions/cached-pages.md). One statement checks a page before each use. */
export function cachedPages(reads: LiveReads) {
  const pages = new LRUCache<string, CachedPage>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ answer }) => answer.body.buffer.byteLength + PAGE_OVERHEAD,
  });
  return {
    /** Returns the page with the current state of the feed, or undefined if it is not cached or has changed. */
    async find(key: string): Promise<CachedPage | undefined> {
      const cached = pages.get(key);
      if (cached === undefined) return undefined;
      const { page } = cached;
      const [row] = await reads.rows<{ facts: PageCheck }>((live) =>
        pageCheckStatement(live(RECORD_HISTORY.name), page),
      );
      const check = row!.facts;
      if (isUnchanged(page, check)) return { ...cached, page: { ...page, ...check } };
      pages.delete(key);
      return undefined;
    },
    /** Caches a page, unless it reaches the head of the feed: the next change will be added to it. */
    add(key: string, page: FeedPage, answer: WrittenPage): void {
      if (page.moreAfterLast && page.headFingerprint !== null) pages.set(key, { page: { ...page, items: [] }, answer });
    },
  };
}

/** True if the feed, the history up to the page's head, and the erased versions on the page are unchanged. */
function isUnchanged(page: FeedPage, check: PageCheck): boolean {
  return (
    page.generation === check.generation &&
    page.feedId === check.feedId &&
    page.headFingerprint === check.fingerprintThen &&
    page.erasures === check.erasures
  );
}
