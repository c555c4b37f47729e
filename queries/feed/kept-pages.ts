import { LRUCache } from 'lru-cache';
import type { PageForm } from '../../contract/operation.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import type { WrittenPage } from '../json-text.ts';
import {
  type FeedPage,
  type FeedPageQuestion,
  feedPageStatement,
  type PageCheck,
  pageCheckStatement,
  toFeedPage,
  toPageCheck,
} from './feed-page.ts';

/** Text of all pages together, in bytes. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** What a page takes beside its text, in bytes: more than its facts and its key. */
const PAGE_OVERHEAD = 2_000;

export type PageOrigin = 'memory' | 'database';

interface Answered {
  readonly answer: WrittenPage;
  readonly meta: string;
  /** The text up to the end of the items. */
  readonly items: Buffer;
}

interface KeptPage extends Answered {
  readonly generation: number;
  /** Without its items. */
  readonly page: FeedPage;
}

/** The same feed has the same history up to the head of that time, erased no version on the page since, and goes on after it as it did. */
const stands = ({ page }: KeptPage, check: PageCheck): boolean =>
  page.feedId === check.feedId &&
  page.headFingerprint === check.fingerprintThen &&
  page.erasures === check.erasures &&
  (page.moreAfterLast || page.head === check.head);

/**
 * Reads feed pages. The text of a page is kept, since what a feed has published does not change: readers who follow the feed ask for the same
 * pages. Each answer reads the state of the feed, and takes a kept text only where the fingerprint of the history still proves it.
 */
export function feedPageReader(reads: LiveReads) {
  const keptPages = new LRUCache<string, KeptPage>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ answer }) => answer.body.length + PAGE_OVERHEAD,
  });
  /** One statement: a look at the feed where a page of this generation is kept, else the whole page. */
  const checkOrRead = async (question: FeedPageQuestion, key: string) => {
    let generation = 0;
    let kept: KeptPage | undefined;
    const rows = await reads.texts((live) => {
      generation = live(RECORD_HISTORY.name);
      const known = keptPages.get(key);
      kept = known?.generation === generation ? known : undefined;
      return kept === undefined ? feedPageStatement(generation, question) : pageCheckStatement(generation, kept.page);
    });
    return { generation, kept, rows };
  };
  return {
    /** `kept` is null where `page` has its items; `keep` takes what is made of them. */
    async read(question: FeedPageQuestion, form: PageForm) {
      const key = `${form} ${question.resource ?? 'all'} ${question.limit} ${question.after ?? 'floor'}`;
      for (;;) {
        const { generation, kept, rows } = await checkOrRead(question, key);
        if (kept === undefined) {
          const page = toFeedPage(rows);
          const keep = (answered: Answered): void => {
            // The floor moves with the time.
            if (question.after === null || page.items.length === 0 || page.headFingerprint === null) return;
            keptPages.set(key, { ...answered, generation, page: { ...page, items: [] } });
          };
          return { page, kept: null, keep };
        }
        const check = toPageCheck(rows);
        const { fingerprintThen: _, ...now } = check;
        if (stands(kept, check)) return { page: { ...kept.page, ...now }, kept, keep: () => undefined };
        keptPages.delete(key);
      }
    },
  };
}
