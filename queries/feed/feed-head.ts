import type { LiveReads } from '../../domain/ports/projection.ts';
import { EMPTY_DIGEST } from '../../domain/digests.ts';
import { type Resource, RESOURCES } from '../../domain/records/resources.ts';
import { fingerprintAt, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { FEED_OPENED, feedOpened } from '../../domain/events/feed-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { streamEvents } from '../../domain/read-log.ts';
import { FEED_STREAM } from '../../domain/streams.ts';
import { liveRows } from '../live-tables.ts';

const perResource = <Value>(value: (resource: Resource) => Value) =>
  Object.fromEntries(RESOURCES.map((resource) => [resource, value(resource)])) as Record<Resource, Value>;

/** Position, counts and digests of the feed, in one statement, so that they belong to one state. */
export async function readFeedHead(reads: LiveReads) {
  const [head, ...totals] = await liveRows(reads, RECORD_HISTORY, {
    name: 'feed_head',
    text: ({ state, totals, isLive }) =>
      `select s.feed_id::text, s.head::text, r.pruned_through::text, encode(s.fingerprint, 'hex') from ${state} s, civic.feed_retention r where ${isLive}
      union all select resource, records::text, digest, null from ${totals}`,
  });
  const found = new Map(totals.map(([resource, records, digest]) => [resource, { records: Number(records), digest: digest! }]));
  return {
    /** Null until the feed has been opened. */
    feedId: head![0] ?? null,
    position: Number(head![1]),
    prunedThrough: Number(head![2]),
    /** Of the history up to the position; null where the live build is of a version that has none. */
    fingerprint: head![3] ?? null,
    counts: perResource((resource) => found.get(resource)?.records ?? 0),
    digests: perResource((resource) => found.get(resource)?.digest ?? EMPTY_DIGEST),
  };
}

export type FeedHead = Awaited<ReturnType<typeof readFeedHead>>;

/** Of the history up to a position; null where no row has it any more. */
export async function readFingerprint(reads: LiveReads, position: number): Promise<string | null> {
  const [row] = await liveRows(reads, RECORD_HISTORY, {
    text: ({ history, isLive }) => `select ${fingerprintAt(history, '$1::bigint')} where ${isLive}`,
    values: [position],
  });
  return row?.[0] ?? null;
}

/** Every identity that the feed of this log has had: a new one with each restore. */
export async function feedIdentities(log: EventLog): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { type, data } of streamEvents(log, FEED_STREAM)) {
    if (type === FEED_OPENED) ids.add(feedOpened.parse(JSON.parse(data)).feedId);
  }
  return ids;
}

/** The highest feed position that is complete, and whose feed it is: null until the feed has been opened. Throws what the database throws. */
export async function readHighWaterMark(reads: LiveReads): Promise<Pick<FeedHead, 'feedId' | 'position' | 'fingerprint'>> {
  const [row] = await liveRows(reads, RECORD_HISTORY, {
    name: 'high_water_mark',
    text: ({ state, isLive }) => `select feed_id::text, head::text, encode(fingerprint, 'hex') from ${state} where ${isLive}`,
  });
  return { feedId: row?.[0] ?? null, position: Number(row?.[1] ?? 0), fingerprint: row?.[2] ?? null };
}
