import type { LiveReads } from '../../domain/ports/projection.ts';
import { liveRows } from '../live-tables.ts';
import { fingerprintAt, NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';

interface FeedAfter {
  /** Exclusive. */
  readonly position: number;
  /** Up to here only what was current at this position, after it every change. */
  readonly boundary: number;
  readonly limit: number;
  /** Bytes of all rows together; a single row is returned whatever its size. */
  readonly maxBytes: number;
}

/** The feed after a position, in order and seen at one moment; without the retention's floor, down to what has really been pruned. */
export async function readFeedAfter(reads: LiveReads, after: FeedAfter) {
  const [meta, ...rows] = await liveRows(reads, RECORD_HISTORY, {
    name: 'feed_after',
    text: ({ history, state, isLive }) =>
      `with feed as materialized (
          select s.feed_id, r.pruned_through, s.head from ${state} s, civic.feed_retention r where ${isLive}
        ), next as materialized (
          select h.position, h.resource, h.record_id, h.version, h.removed, h.changed_at,
            sum(octet_length(h.envelope) + coalesce(octet_length(h.body), 0)) over (order by h.position) as bytes,
            row_number() over (order by h.position) as nth
          from (
            select * from ${history} h
            where h.position > $1::bigint and h.position <= ${NOT_SUPERSEDED} and (h.position > $2::bigint or h.superseded_at > $2::bigint)
            order by h.position limit $3::int
          ) h
        )
        select f.feed_id::text, f.pruned_through::text, f.head::text, ${fingerprintAt(history, '$1::bigint')}, null, null, null, null from feed f
        union all
        (select n.position::text, n.resource, n.record_id::text, n.version::text, n.removed::text, n.changed_at::text, h.envelope || coalesce(h.body, ''), encode(h.fingerprint, 'hex')
         from next n join ${history} h on h.position = n.position where n.nth = 1 or n.bytes <= $4::bigint order by n.position)`,
    values: [after.position, after.boundary, after.limit, after.maxBytes],
  });
  return {
    feedId: meta?.[0] ?? null,
    /** Rows that were superseded at or below it may be pruned. */
    prunedThrough: Number(meta?.[1] ?? 0),
    head: Number(meta?.[2] ?? 0),
    /** Of the history up to the given position; null where it is pruned, beyond the head, and where the live build has none. */
    fingerprint: meta?.[3] ?? null,
    rows: rows.map(([position, resource, recordId, version, removed, changedAt, text, fingerprint]) => ({
      position: Number(position),
      resource: resource!,
      recordId: recordId!,
      version: version!,
      removed: removed === 'true',
      /** Milliseconds since the epoch. */
      changedAt: Number(changedAt),
      /** The item's text between its cursor and its closing brace. */
      text: text!,
      fingerprint: fingerprint ?? null,
    })),
  };
}

export type FeedStretch = Readonly<Awaited<ReturnType<typeof readFeedAfter>>>;
export type FeedRow = FeedStretch['rows'][number];
