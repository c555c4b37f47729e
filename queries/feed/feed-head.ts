import type { LiveReads } from '../../domain/ports/projection.ts';
import { EMPTY_DIGEST } from '../../domain/digests.ts';
import { type Resource, RESOURCES } from '../../domain/records/resources.ts';
import { fingerprintAt, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { FEED_OPENED, feedOpened } from '../../domain/events/feed-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { streamEvents } from '../../domain/read-log.ts';
import { FEED_STREAM } from '../../domain/streams.ts';
import { liveStatement } from '../live-tables.ts';

const perResource = <Value>(value: (resource: Resource) => Value) =>
  Object.fromEntries(RESOURCES.map((resource) => [resource, value(resource)])) as Record<Resource, Value>;

interface FeedHeadRow {
  /** Null until the feed has been opened. */
  readonly feedId: string | null;
  readonly position: number;
  readonly prunedThrough: number;
  /** Fingerprint of the history up to the position; null if the live generation has none. */
  readonly fingerprint: string | null;
  readonly totals: Readonly<Partial<Record<Resource, { records: number; digest: string }>>> | null;
}

/** Reads position, counts and digests of the feed in one statement, so that they belong to the same state. */
export async function readFeedHead(reads: LiveReads) {
  const [row] = await reads.rows<FeedHeadRow>(
    liveStatement(RECORD_HISTORY, {
      name: 'feed_head',
      text: ({ state, totals, isLive }) =>
        `select s.feed_id as "feedId", s.head as position, r.pruned_through as "prunedThrough",
        encode(s.fingerprint, 'hex') as fingerprint,
        (select json_object_agg(t.resource, json_build_object('records', t.records, 'digest', t.digest))
         from ${totals} t) as totals
      from ${state} s, civic.feed_retention r where ${isLive}`,
    }),
  );
  const { totals, ...head } = row!;
  return {
    ...head,
    counts: perResource((resource) => totals?.[resource]?.records ?? 0),
    digests: perResource((resource) => totals?.[resource]?.digest ?? EMPTY_DIGEST),
  };
}

export type FeedHead = Awaited<ReturnType<typeof readFeedHead>>;

/** Returns the fingerprint of the history up to a position, or null if its row is pruned. */
export async function readFingerprint(reads: LiveReads, position: number): Promise<string | null> {
  const [row] = await reads.rows<{ fingerprint: string | null }>(
    liveStatement(RECORD_HISTORY, {
      text: ({ history, isLive }) => `select ${fingerprintAt(history, '$1::bigint')} as fingerprint where ${isLive}`,
      values: [position],
    }),
  );
  return row?.fingerprint ?? null;
}

/** Returns all identities of the log's feed. It gets a new one with each restore. */
export async function feedIdentities(log: EventLog): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { type, data } of streamEvents(log, FEED_STREAM)) {
    if (type === FEED_OPENED) ids.add(feedOpened.parse(JSON.parse(data)).feedId);
  }
  return ids;
}

/**
 * Returns the highest complete feed position and the feed's id, null until the feed is open. Throws errors of the
 * database.
 */
export async function readHighWaterMark(
  reads: LiveReads,
): Promise<Pick<FeedHead, 'feedId' | 'position' | 'fingerprint'>> {
  const [row] = await reads.rows<Pick<FeedHead, 'feedId' | 'position' | 'fingerprint'>>(
    liveStatement(RECORD_HISTORY, {
      name: 'high_water_mark',
      text: ({ state, isLive }) =>
        `select feed_id as "feedId", head as position, encode(fingerprint, 'hex') as fingerprint from ${state} where ${isLive}`,
    }),
  );
  return row ?? { feedId: null, position: 0, fingerprint: null };
}
