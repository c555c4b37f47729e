import { decodeSnapshotPageCursor, encodeSnapshotPageCursor } from '../src/domain/cursor.ts';
import type { JsonPage, SnapshotPageInput } from '../src/contract/handlers.ts';
import type { Clock } from '../src/domain/ports/clock.ts';
import type { Statement } from '../src/domain/ports/database.ts';
import { type LiveReads, requireLive } from '../src/domain/ports/projection.ts';
import { Rejection } from '../src/domain/rejections.ts';
import { JsonText } from './json-text.ts';
import { RECORD_HISTORY, recordHistoryTables } from '../projections/record-history/tables.ts';
import { SNAPSHOTS, snapshotsTable } from '../projections/snapshots/tables.ts';

/** Bytes of a page beside its records: more than the texts around them and a cursor take. */
const PAGE_BYTES = 300;

const RECOVERY = { recovery: [{ operationId: 'createCivicSnapshot', hint: 'take a snapshot and read its pages' }] };

type PageMeta = [boundary: number, mark: number, feedId: string, servedFeed: string, last: number | null, bytes: number, hasMore: boolean];

export interface ReadCivicSnapshotPageDependencies {
  readonly reads: LiveReads;
  readonly clock: Clock;
}

/** One page of a resource as it stood at the snapshot's boundary, and whether the snapshot may be read at all: one statement. */
const snapshotPage = (history: number, snapshots: number, input: SnapshotPageInput, after: number, now: number): Statement => {
  const tables = recordHistoryTables(history);
  // The pair is compared as one, so that no plan walks all resources to find the few records of one.
  const visible = (from: string, to = '(select boundary from snapshot)') =>
    `(h.resource, h.position) > ($3, ${from}) and (h.resource, h.position) <= ($3, ${to})
      and h.superseded_at > (select boundary from snapshot) order by h.resource, h.position`;
  return {
    name: `snapshot_page_g${history}_g${snapshots}`,
    text: `with snapshot as materialized (
        select s.boundary, r.mark, s.feed_id, f.feed_id as served_feed
        from ${snapshotsTable(snapshots)} s, civic.feed_retention r, ${tables.state} f
        where s.snapshot_id = $1::uuid and s.account_id = $2::uuid and s.expires_at > $4::bigint
          and ${requireLive(RECORD_HISTORY, history)} and ${requireLive(SNAPSHOTS, snapshots)}
      ), size as materialized (
        select max(p.position) as last, coalesce(sum(p.bytes), 0) as bytes from (
          select h.position, octet_length(h.body) as bytes from ${tables.history} h where ${visible('$5::bigint')} limit $6::int
        ) p
      )
      select json_build_array(
          s.boundary, s.mark, s.feed_id, s.served_feed, z.last, z.bytes, (select h.position from ${tables.history} h where ${visible('z.last')} limit 1) is not null
        )::text
      from snapshot s, size z
      union all
      (select h.body from ${tables.history} h where ${visible('$5::bigint', '(select last from size where bytes <= $7::bigint)')})`,
    values: [input.snapshotId, input.accountId, input.resource, now, after, input.limit, input.maxResponseBytes],
  };
};

/** A page of a frozen export (specification, GET /api/v1/data/snapshots/{snapshotId}/{resource}). Refuses with 400, 404, 410 and 413. */
export const createReadCivicSnapshotPage =
  ({ reads, clock }: ReadCivicSnapshotPageDependencies) =>
  async (input: SnapshotPageInput): Promise<JsonPage> => {
    const cursor = input.cursor === undefined ? null : decodeFor(input.cursor, input);
    const rows = await reads.texts((generation) =>
      snapshotPage(generation(RECORD_HISTORY), generation(SNAPSHOTS), input, cursor?.position ?? 0, clock.now()),
    );
    const [meta, ...items] = rows;
    if (meta === undefined) throw new Rejection('not_found', 'there is no such snapshot, or it has expired');
    const [boundary, mark, feedId, servedFeed, last, bytes, hasMore] = JSON.parse(meta[0]!) as PageMeta;
    if (feedId !== servedFeed || (cursor !== null && cursor.feedId !== feedId)) {
      throw new Rejection('cursor_expired', 'the snapshot was taken of another feed than the one served now; take a new one', {
        details: RECOVERY,
      });
    }
    if (boundary < mark) throw new Rejection('cursor_expired', 'the snapshot is older than what is retained; take a new one');
    if (bytes > input.maxResponseBytes) {
      throw new Rejection('response_too_large', `the page is over ${input.maxResponseBytes} bytes; ask for fewer items by limit`);
    }
    const { snapshotId, resource } = input;
    const nextCursor = hasMore ? `"${encodeSnapshotPageCursor({ feedId, snapshotId, resource, position: last! })}"` : 'null';
    const json = new JsonText(bytes + items.length + PAGE_BYTES).ascii('{"data":{"items":[');
    for (const [index, [body]] of items.entries()) json.ascii(index === 0 ? '' : ',').text(body!);
    return json.ascii(`]},"meta":{"nextCursor":${nextCursor},"hasMore":${hasMore}}}`).page(items.length);
  };

const decodeFor = (text: string, { snapshotId, resource }: SnapshotPageInput) => {
  const cursor = decodeSnapshotPageCursor(text);
  if (typeof cursor === 'string') {
    throw new Rejection(
      'invalid_parameter',
      cursor === 'damaged' ? 'cursor does not decode' : 'cursor is of another kind than a page cursor',
    );
  }
  if (cursor.snapshotId !== snapshotId || cursor.resource !== resource) {
    throw new Rejection('invalid_parameter', 'cursor was minted for another snapshot or resource');
  }
  return cursor;
};
