import { decodeFeedCursor } from '../../domain/cursor.ts';
import type { Statement } from '../../domain/ports/database.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { type FeedHead, readFeedHead, readFingerprint } from './feed-head.ts';

const ROWS_A_PAGE = 1000;

export interface ExportRecords {
  /** Left out: every resource. */
  readonly resource?: Resource;
  /** Feed cursor of the state wanted; left out: the current one. */
  readonly at?: string;
}

const recordsAt = (generation: number, resource: Resource | null, boundary: number, after: number): Statement => ({
  name: `export_records_g${generation}${resource === null ? '' : '_filtered'}`,
  text: `select h.position::text, (select pruned_through from civic.feed_retention)::text, h.resource, h.record_id::text, h.body
    from ${RECORD_HISTORY.at(generation).history} h
    where ${
      resource === null
        ? 'h.position > $1 and h.position <= $2'
        : '(h.resource, h.position) > ($4, $1::bigint) and (h.resource, h.position) <= ($4, $2::bigint)'
    } and h.superseded_at > $2 and ${requireLive(RECORD_HISTORY.name, generation)}
    order by ${resource === null ? '' : 'h.resource, '}h.position limit $3::int`,
  values: resource === null ? [after, boundary, ROWS_A_PAGE] : [after, boundary, ROWS_A_PAGE, resource],
});

/** Lines of NDJSON, in the form that an import reads: the records as they stood at one feed position, in the order of their last change. */
export async function* exportRecords(reads: LiveReads, { resource, at }: ExportRecords): AsyncGenerator<string> {
  const head = await readFeedHead(reads);
  const boundary = at === undefined ? head.position : await positionOf(reads, at, head);
  for (let after = 0; ; ) {
    const rows = await reads.texts((generation) => recordsAt(generation(RECORD_HISTORY.name), resource ?? null, boundary, after));
    const prunedThrough = rows[0] === undefined ? (await readFeedHead(reads)).prunedThrough : Number(rows[0][1]);
    if (prunedThrough > boundary) throw new Rejection('cursor_expired', 'the state at this cursor is no longer retained');
    for (const [, , name, id, body] of rows) yield `{"op":"upsert","resource":"${name}","id":"${id}","data":${body}}\n`;
    if (rows.length < ROWS_A_PAGE) return;
    after = Number(rows.at(-1)![0]);
  }
}

async function positionOf(reads: LiveReads, text: string, { feedId, position: head }: FeedHead): Promise<number> {
  const cursor = decodeFeedCursor(text);
  if (typeof cursor === 'string') throw new Rejection('invalid_parameter', 'the cursor does not decode as a feed cursor');
  if (cursor.feedId !== feedId) throw new Rejection('cursor_expired', 'the cursor belongs to another feed');
  if (cursor.position > head) throw new Rejection('cursor_expired', 'the cursor is beyond the head of the feed');
  const fingerprint = await readFingerprint(reads, cursor.position);
  if (cursor.fingerprint !== null && fingerprint !== null && cursor.fingerprint !== fingerprint)
    throw new Rejection('cursor_expired', 'the service has lost history that the cursor follows');
  return cursor.position;
}
