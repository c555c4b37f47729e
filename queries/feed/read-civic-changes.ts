import { decodeFeedCursor, type FeedBinding, type FeedCursor, feedCursorEncoder } from '../../domain/cursor.ts';
import type { ChangesInput, JsonPage } from '../../contract/inputs.ts';
import type { PageForm } from '../../contract/operation.ts';
import type { QueryContext } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { type FeedPage, feedPageStatement, toFeedPage } from './feed-page.ts';
import { decodedCursor } from '../decoded-cursor.ts';
import { JsonText } from '../json-text.ts';

interface ReadCivicChangesDependencies extends QueryContext {
  /** Replay retention, in milliseconds. */
  readonly retentionMs: number;
}

const RECOVERY = { recovery: [{ operationId: 'createCivicSnapshot', hint: 'take a snapshot and go on from its boundaryCursor' }] };
const HISTORY_PRUNED = `,${JSON.stringify({ historyPruned: true, ...RECOVERY }).slice(1, -1)}`;

/**
 * The change feed after a cursor. Refuses with 400, 410 and 413; 503 before the feed is open. Without a cursor it starts at the oldest
 * replayable position, and the page says so where older changes are gone: while the feed is quiet it would look like a service without
 * data.
 */
export const createReadCivicChanges =
  ({ reads, clock, retentionMs }: ReadCivicChangesDependencies) =>
  async (input: ChangesInput): Promise<JsonPage> => {
    const resource = input.resource ?? null;
    const cursor = input.cursor === undefined ? null : decodeFor(input.cursor, resource);
    const now = clock.now();
    const cutoff = now - retentionMs;
    const question = { after: cursor?.position ?? null, resource, limit: input.limit, maxBytes: input.maxResponseBytes, cutoff };
    const page = toFeedPage(await reads.texts((generation) => feedPageStatement(generation(RECORD_HISTORY.name), question)));
    if (page.feedId === null) throw new Rejection('feed_unavailable', 'the feed has not been opened yet');
    refuseExpired(page, cursor, cutoff);
    if (page.bytes > input.maxResponseBytes) {
      throw new Rejection('response_too_large', `the page is over ${input.maxResponseBytes} bytes; ask for fewer items by limit`);
    }
    const historyPruned = cursor === null && page.start > 0;
    const answer = pageOf(page, page.feedId, resource ?? 'all', { form: input.form ?? 'json', now, retentionMs, historyPruned });
    // Added to it: its text is computed on demand, which a copy would do.
    return cursor === null ? answer : Object.assign(answer, { unreadSince: page.changedAfterStart });
  };

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

interface PageFacts {
  readonly form: PageForm;
  readonly now: number;
  readonly retentionMs: number;
  readonly historyPruned: boolean;
}

function pageOf(page: FeedPage, feedId: string, binding: FeedBinding, { form, now, retentionMs, historyPruned }: PageFacts): JsonPage {
  const cursorAt = feedCursorEncoder(feedId, binding);
  const json = new JsonText(page.bytes + ITEM_BYTES * page.items.length + PAGE_BYTES);
  let previous = page.start;
  for (const [index, [position, envelope, body, fingerprint]] of page.items.entries()) {
    if (position <= previous || (binding === 'all' && position !== previous + 1)) {
      throw new Error(`feed position ${position} follows ${previous}`);
    }
    previous = position;
    json.item(form, index).ascii(`{"cursor":"${cursorAt(position, fingerprint)}",`);
    json.ascii(envelope).text(body).ascii('}');
  }
  const next = page.moreAfterLast ? page.last! : page.head;
  const nextFingerprint = page.moreAfterLast ? page.items.at(-1)![3] : page.headFingerprint;
  const expires = (next === page.head ? now : page.changedAfterLast!) + retentionMs;
  const replay = `"replayExpiresAt":"${new Date(expires).toISOString()}"${historyPruned ? HISTORY_PRUNED : ''}`;
  const meta = `{"nextCursor":"${cursorAt(next, nextFingerprint)}","hasMore":${page.moreAfterLast},${replay}}`;
  return json.endOfItems(form, page.items.length, meta);
}
