import { decodeFeedCursor, type FeedCursor, feedCursorEncoder } from '../../domain/cursor.ts';
import type { ChangesInput, JsonPage } from '../../contract/inputs.ts';
import type { PageForm } from '../../contract/operation.ts';
import type { QueryContext } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import type { Resource } from '../../domain/records/resources.ts';
import type { FeedPage } from './feed-page.ts';
import { decodedCursor } from '../decoded-cursor.ts';
import { feedPageReader, type PageOrigin } from './kept-pages.ts';
import { JsonText } from '../json-text.ts';

interface ReadCivicChangesDependencies extends QueryContext {
  /** Replay retention, in milliseconds. */
  readonly retentionMs: number;
  /** Told where the items of an answer came from. */
  readonly onPage?: (from: PageOrigin) => void;
}

const RECOVERY = { recovery: [{ operationId: 'createCivicSnapshot', hint: 'take a snapshot and go on from its boundaryCursor' }] };
const HISTORY_PRUNED = `,${JSON.stringify({ historyPruned: true, ...RECOVERY }).slice(1, -1)}`;

/**
 * The change feed after a cursor. Refuses with 400, 410 and 413; 503 before the feed is open. Without a cursor it starts at the oldest
 * replayable position, and the page says so where older changes are gone: while the feed is quiet it would look like a service without
 * data.
 */
export function createReadCivicChanges({ reads, clock, retentionMs, onPage }: ReadCivicChangesDependencies) {
  const pages = feedPageReader(reads);
  return async (input: ChangesInput): Promise<JsonPage> => {
    const { resource = null, form = 'json', maxResponseBytes } = input;
    const cursor = input.cursor === undefined ? null : decodeFor(input.cursor, resource);
    const now = clock.now();
    const cutoff = now - retentionMs;
    const question = { after: cursor?.position ?? null, resource, limit: input.limit, maxBytes: maxResponseBytes, cutoff };
    const { page, kept, keep } = await pages.read(question, form);
    if (page.feedId === null) throw new Rejection('feed_unavailable', 'the feed has not been opened yet');
    refuseExpired(page, cursor, cutoff);
    if (page.bytes > maxResponseBytes) {
      throw new Rejection('response_too_large', `the page is over ${maxResponseBytes} bytes; ask for fewer items by limit`);
    }
    onPage?.(kept === null ? 'database' : 'memory');
    const cursorsAt = feedCursorEncoder(page.feedId, resource ?? 'all');
    const meta = metaOf(page, cursorsAt, { now, retentionMs, historyPruned: cursor === null && page.start > 0 });
    if (kept?.meta === meta) return kept.answer;
    const items =
      kept === null ? itemsOf(page, cursorsAt, resource === null, form) : new JsonText(kept.items.length + PAGE_BYTES).bytes(kept.items);
    const end = items.length;
    const answer = items.endOfItems(form, kept?.answer.items ?? page.items.length, meta);
    // Added to it: its text is computed on demand, which a copy would do.
    if (cursor !== null) Object.assign(answer, { unreadSince: page.changedAfterStart });
    keep({ answer, meta, items: answer.body.subarray(0, end) });
    return answer;
  };
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
  if (cursor !== null && cursor.feedId !== page.feedId) throw expired('the cursor belongs to another feed than the one served now');
  if (page.start > page.head) throw expired('the cursor is beyond the head of the feed');
  if (cursor !== null && isOtherHistory(page, cursor)) throw expired('the service has lost history that the cursor follows');
  if (page.start < page.prunedThrough) throw expired('changes after the cursor are no longer retained');
  if (page.changedAfterStart !== null && page.changedAfterStart < cutoff) {
    throw expired('changes after the cursor are older than the replay retention');
  }
}

/** Whether the history of the feed up to the cursor's position is another one than when the cursor was issued. */
export const isOtherHistory = ({ startFingerprint }: FeedPage, { fingerprint }: FeedCursor): boolean =>
  fingerprint !== null && startFingerprint !== null && fingerprint !== startFingerprint;

/** Bytes of an item beside its envelope and body, and of a page beside its items: more than the texts below and two cursors take. */
const ITEM_BYTES = 90;
const PAGE_BYTES = 320 + HISTORY_PRUNED.length;

type CursorsAt = ReturnType<typeof feedCursorEncoder>;

/** The text of a page up to the end of its items; without a filter, their positions are dense. */
function itemsOf(page: FeedPage, cursorsAt: CursorsAt, dense: boolean, form: PageForm): JsonText {
  const json = new JsonText(page.bytes + ITEM_BYTES * page.items.length + PAGE_BYTES, page.items.length > 0 ? 'own' : 'shared');
  const cursors = cursorsAt(page.items.map(([position, , , fingerprint]) => [position, fingerprint]));
  let previous = page.start;
  for (const [index, [position, envelope, body]] of page.items.entries()) {
    if (position <= previous || (dense && position !== previous + 1)) throw new Error(`feed position ${position} follows ${previous}`);
    previous = position;
    json.item(form, index, `{"cursor":"${cursors[index]!}",${envelope}`).text(body).ascii('}');
  }
  return json;
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
