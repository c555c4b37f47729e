import type { LiveReads } from '../../domain/ports/projection.ts';
import { liveStatement } from '../live-tables.ts';
import { fingerprintAt, NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';

interface FeedAfter {
  /** Exclusive start. */
  readonly position: number;
  /** Up to this position only the state at this position is returned, after it every change. */
  readonly boundary: number;
  readonly limit: number;
  /** Most bytes of all rows together. A single row is returned whatever its size. */
  readonly maxBytes: number;
}

interface FeedFacts {
  readonly feedId: string | null;
  /** Rows superseded at or below this position might be pruned. */
  readonly prunedThrough: number;
  readonly head: number;
  /** Fingerprint of the history up to `position`. Null if pruned, beyond the head, or unknown to the live generation. */
  readonly fingerprint: string | null;
}

interface Change {
  readonly position: number;
  readonly resource: string;
  readonly recordId: string;
  readonly version: string;
  readonly removed: boolean;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** Text of the item between its cursor and its closing brace. */
  readonly text: string;
  readonly fingerprint: string | null;
}

/** The first row has the facts, the others are changes. */
type FeedAfterRow = { readonly facts: FeedFacts } | ({ readonly facts: null } & Change);

const NO_FEED: FeedFacts = { feedId: null, prunedThrough: 0, head: 0, fingerprint: null };

/**
 * Reads the feed after a position in one snapshot. Ignores the retention period: everything that is not pruned can be
 * read.
 */
export async function readFeedAfter(reads: LiveReads, after: FeedAfter) {
  const rows = await reads.rows<FeedAfterRow>(
    liveStatement(RECORD_HISTORY, {
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
            where h.position > $1::bigint and h.position <= ${NOT_SUPERSEDED}
              and (h.position > $2::bigint or h.superseded_at > $2::bigint)
            order by h.position limit $3::int
          ) h
        )
        select json_build_object('feedId', f.feed_id, 'prunedThrough', f.pruned_through, 'head', f.head,
            'fingerprint', ${fingerprintAt(history, '$1::bigint')}) as facts,
          null as position, null as resource, null as "recordId", null as version, null as removed,
          null as "changedAt", null as text, null as fingerprint from feed f
        union all
        (select null, n.position, n.resource, n.record_id, n.version::text, n.removed, n.changed_at,
          h.envelope || coalesce(h.body, ''), encode(h.fingerprint, 'hex')
         from next n join ${history} h on h.position = n.position
         where n.nth = 1 or n.bytes <= $4::bigint order by n.position)`,
      values: [after.position, after.boundary, after.limit, after.maxBytes],
    }),
  );
  const { facts = NO_FEED } = rows[0] ?? {};
  return { ...(facts ?? NO_FEED), rows: rows.filter((row) => row.facts === null) };
}

export type FeedStretch = Readonly<Awaited<ReturnType<typeof readFeedAfter>>>;
export type FeedRow = FeedStretch['rows'][number];
