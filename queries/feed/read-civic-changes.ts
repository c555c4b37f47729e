import { decodeFeedCursor, type FeedCursor, feedCursorEncoder } from '../../domain/cursor.ts';
import type { ChangesInput, JsonPage } from '../../contract/inputs.ts';
import type { PageForm } from '../../contract/operation.ts';
import type { LiveReads, QueryContext } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { type FeedPage, type FeedPageQuestion, type FeedPageRow, feedPageStatement, toFeedPage } from './feed-page.ts';
import { decodedCursor } from '../decoded-cursor.ts';
import { cachedPages, type PageOrigin } from './cached-pages.ts';
import { JsonText, type WrittenPage } from '../json-text.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';

interface ReadCivicChangesDependencies extends QueryContext {
  /** Replay retention, in milliseconds. */
  readonly retentionMs: number;
  /** Receives the origin of each returned page. */
  readonly onPage?: (from: PageOrigin) => void;
}

const RECOVERY = {
  recovery: [{ operationId: 'createCivicSnapshot', hint: 'take a snapshot and continue from its boundaryCursor' }],
};
const HISTORY_PRUNED = `,${JSON.stringify({ historyPruned: true, ...RECOVERY }).slice(1, -1)}`;

/**
 * Returns the change feed after a cursor. Rejects with 400, 410 and 413, and with 503 before the feed is open. Without
 * a cursor it starts at the oldest replayable position, and the page reports pruned history, so that a quiet feed does
 * not look empty.
 */
export function createReadCivicChanges({ reads, clock, retentionMs, onPage }: ReadCivicChangesDependencies) {
  const cache = cachedPages(reads);
  return async (input: ChangesInput): Promise<JsonPage> => {
    const { resource = null, form = 'json', limit, maxResponseBytes } = input;
    const cursor = input.cursor === undefined ? null : decodeFor(input.cursor, resource);
    const now = clock.now();
    const cutoff = now - retentionMs;
    const key = cursor === null ? null : `${form} ${resource ?? 'all'} ${limit} ${cursor.position}`;
    const cached = key === null ? undefined : await cache.find(key);
    const question = { after: cursor?.position ?? null, resource, limit, maxBytes: maxResponseBytes, cutoff };
    const page = cached?.page ?? (await readFeedPage(reads, question));
    if (page.feedId === null) throw new Rejection('feed_unavailable', 'the feed has not been opened yet');
    refuseExpired(page, cursor, cutoff);
    refuseTooLarge(page, maxResponseBytes);
    onPage?.(cached === undefined ? 'database' : 'memory');
    if (cached !== undefined) return cached.answer;
    const cursorsAt = feedCursorEncoder(page.feedId, resource ?? 'all');
    const meta = metaOf(page, cursorsAt, { now, retentionMs, historyPruned: cursor === null && page.start > 0 });
    const answer = writePage(page, cursorsAt, { dense: resource === null, form, meta });
    if (key === null) return answer;
    // A spread would compute `text`, which is lazy.
    const unread = Object.assign(answer, { unreadSince: page.changedAfterStart });
    cache.add(key, page, unread);
    return unread;
  };
}

async function readFeedPage(reads: LiveReads, question: FeedPageQuestion): Promise<FeedPage> {
  return toFeedPage(await reads.rows<FeedPageRow>((live) => feedPageStatement(live(RECORD_HISTORY.name), question)));
}

function decodeFor(text: string, resource: Resource | null) {
  const cursor = decodedCursor(decodeFeedCursor(text), 'a feed cursor');
  if (cursor.binding !== 'nothing' && cursor.binding !== (resource ?? 'all')) {
    const bound = cursor.binding === 'all' ? 'an unfiltered read' : `resource=${cursor.binding}`;
    throw new Rejection('invalid_parameter', `cursor was minted for ${bound}; read on with that filter`);
  }
  return cursor;
}

function refuseExpired(page: FeedPage, cursor: FeedCursor | null, cutoff: number): void {
  const expired = (message: string) => new Rejection('cursor_expired', message, { details: RECOVERY });
  if (cursor !== null && cursor.feedId !== page.feedId)
    throw expired('the cursor belongs to another feed than the one served now');
  if (page.start > page.head) throw expired('the cursor is beyond the head of the feed');
  if (cursor !== null && isOtherHistory(page, cursor))
    throw expired('the service has lost history that the cursor follows');
  if (page.start < page.prunedThrough) throw expired('changes after the cursor are no longer retained');
  if (page.changedAfterStart !== null && page.changedAfterStart < cutoff) {
    throw expired('changes after the cursor are older than the replay retention');
  }
}

function refuseTooLarge({ bytes }: FeedPage, maxResponseBytes: number): void {
  if (bytes <= maxResponseBytes) return;
  throw new Rejection('response_too_large', `the page is over ${maxResponseBytes} bytes; ask for fewer items by limit`);
}

/** True if the history up to the cursor's position has changed since the cursor was issued. */
export const isOtherHistory = ({ startFingerprint }: FeedPage, { fingerprint }: FeedCursor): boolean =>
  fingerprint !== null && startFingerprint !== null && fingerprint !== startFingerprint;

/** Upper limits: bytes of an item without envelope and body, and bytes of a page without items. */
const ITEM_BYTES = 90;
const PAGE_BYTES = 320 + HISTORY_PRUNED.length;

type CursorsAt = ReturnType<typeof feedCursorEncoder>;

interface PageText {
  /** True without a filter: the positions have no gaps. */
  readonly dense: boolean;
  readonly form: PageForm;
  readonly meta: string;
}

function writePage(page: FeedPage, cursorsAt: CursorsAt, { dense, form, meta }: PageText): WrittenPage {
  const json = new JsonText(page.bytes + ITEM_BYTES * page.items.length + PAGE_BYTES);
  const cursors = cursorsAt(page.items.map(({ position, fingerprint }) => [position, fingerprint]));
  let previous = page.start;
  for (const [index, { position, envelope, body }] of page.items.entries()) {
    if (position <= previous || (dense && position !== previous + 1))
      throw new Error(`feed position ${position} follows ${previous}`);
    previous = position;
    json.item(form, index, `{"cursor":"${cursors[index]!}",${envelope}`).text(body).ascii('}');
  }
  return json.endOfItems(form, page.items.length, meta);
}

interface PageTimes {
  readonly now: number;
  readonly retentionMs: number;
  readonly historyPruned: boolean;
}

function metaOf(page: FeedPage, cursorsAt: CursorsAt, { now, retentionMs, historyPruned }: PageTimes): string {
  const next = page.moreAfterLast ? page.last! : page.head;
  const nextFingerprint = page.moreAfterLast ? page.lastFingerprint : page.headFingerprint;
  const expires = (next === page.head ? now : page.changedAfterLast!) + retentionMs;
  const replay = `"replayExpiresAt":"${new Date(expires).toISOString()}"${historyPruned ? HISTORY_PRUNED : ''}`;
  return `{"nextCursor":"${cursorsAt([[next, nextFingerprint]])[0]!}","hasMore":${page.moreAfterLast},${replay}}`;
}
