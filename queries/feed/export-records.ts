import { decodeFeedCursor } from '../../domain/cursor.ts';
import { type EventLog, type EventMetadata, MAX_BATCH_BYTES, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { streamEvents } from '../../domain/read-log.ts';
import { type Resource, RESOURCES } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { recordStream } from '../../domain/streams.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { type FeedHead, readFeedHead, readFingerprint } from './feed-head.ts';
import { liveStatement } from '../live-tables.ts';

const ROWS_A_PAGE = 1000;

interface ExportRecords {
  /** All resources if absent. */
  readonly resource?: Resource;
  /** Feed cursor of the exported state. The current state if absent. */
  readonly at?: string;
}

interface ExportedRow {
  readonly position: number;
  readonly prunedThrough: number;
  readonly resource: string;
  readonly id: string;
  readonly body: string;
}

/** Reads a page, which ends with the record whose text reaches `MAX_BATCH_BYTES`. */
const recordsAt = (reads: LiveReads, resource: Resource | undefined, boundary: number, after: number) =>
  reads.rows<ExportedRow>(
    liveStatement(RECORD_HISTORY, {
      name: `export_records${resource === undefined ? '' : '_filtered'}`,
      text: ({ history, isLive }) =>
        `select b.position, (select pruned_through from civic.feed_retention) as "prunedThrough",
        b.resource, b.record_id as id, b.body from (
        select p.*, sum(octet_length(body))
          over (order by position rows between unbounded preceding and 1 preceding) as bytes_before from (
          select h.* from ${history} h where h.superseded_at > $2 and ${isLive} and ${
            resource === undefined
              ? 'h.position > $1 and h.position <= $2 order by h.position'
              : `(h.resource, h.position) > ($4, $1::bigint) and (h.resource, h.position) <= ($4, $2::bigint)
                order by h.resource, h.position`
          } limit $3::int
        ) p
      ) b where coalesce(b.bytes_before, 0) < ${MAX_BATCH_BYTES} order by b.position`,
      values: [after, boundary, ROWS_A_PAGE, ...(resource === undefined ? [] : [resource])],
    }),
  );

/** Yields NDJSON lines for an import: the records at one feed position, in the order of their last change. */
export async function* exportRecords(reads: LiveReads, { resource, at }: ExportRecords): AsyncGenerator<string> {
  const head = await readFeedHead(reads);
  const boundary = at === undefined ? head.position : await positionOf(reads, at, head);
  for (let after = 0; ; ) {
    const rows = await recordsAt(reads, resource, boundary, after);
    const { prunedThrough } = rows[0] ?? (await readFeedHead(reads));
    if (prunedThrough > boundary)
      throw new Rejection('cursor_expired', 'the state at this cursor is no longer retained');
    for (const { resource: name, id, body } of rows)
      yield `{"op":"upsert","resource":"${name}","id":"${id}","data":${body}}\n`;
    const bytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    if (rows.length < ROWS_A_PAGE && bytes < MAX_BATCH_BYTES) return;
    after = rows.at(-1)!.position;
  }
}

async function positionOf(reads: LiveReads, text: string, { feedId, position: head }: FeedHead): Promise<number> {
  const cursor = decodeFeedCursor(text);
  if (typeof cursor === 'string')
    throw new Rejection('invalid_parameter', 'the cursor does not decode as a feed cursor');
  if (cursor.feedId !== feedId) throw new Rejection('cursor_expired', 'the cursor belongs to another feed');
  if (cursor.position > head) throw new Rejection('cursor_expired', 'the cursor is beyond the head of the feed');
  const fingerprint = await readFingerprint(reads, cursor.position);
  if (cursor.fingerprint !== null && fingerprint !== null && cursor.fingerprint !== fingerprint)
    throw new Rejection('cursor_expired', 'the service has lost history that the cursor follows');
  return cursor.position;
}

/**
 * Yields every version of the records with an id from the log, oldest first, even versions that the feed no longer
 * retains.
 */
export async function* recordVersions(log: EventLog, recordId: string) {
  for (const resource of RESOURCES) {
    for await (const event of streamEvents(log, recordStream(resource, recordId))) yield toVersion(resource, event);
  }
}

function toVersion(resource: Resource, { type, revision, time, metadata, data }: StoredEvent) {
  const { commandId, causedBy } = JSON.parse(metadata) as EventMetadata;
  return {
    resource,
    version: revision + 1,
    event: type,
    at: new Date(time).toISOString(),
    commandId,
    /** Event that caused this one, if a reactor wrote it. */
    causedBy: causedBy ?? null,
    data: JSON.parse(data) as unknown,
  };
}
