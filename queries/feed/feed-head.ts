import type { Statement } from '../../domain/ports/database.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import { EMPTY_DIGEST } from '../../domain/digests.ts';
import { type Resource, RESOURCES } from '../../domain/records/resources.ts';
import { fingerprintAt, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { FEED_OPENED, feedOpened } from '../../domain/events/feed-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { streamEvents } from '../../domain/read-log.ts';
import { FEED_STREAM } from '../../domain/streams.ts';

/** The feed at one moment: where it ends, and what the current records add up to there. */
export interface FeedHead {
  readonly feedId: string | null;
  readonly position: number;
  /** Of the history up to the position; null where the live build is of a version that has none. */
  readonly fingerprint: string | null;
  readonly prunedThrough: number;
  readonly counts: Readonly<Record<Resource, number>>;
  readonly digests: Readonly<Record<Resource, string>>;
}

/** Position, counts and digests are read in one statement, so that they belong to one state. */
function feedHead(generation: number): Statement {
  const { state, totals } = RECORD_HISTORY.at(generation);
  return {
    name: `feed_head_g${generation}`,
    text: `select s.feed_id::text, s.head::text, r.pruned_through::text, encode(s.fingerprint, 'hex') from ${state} s, civic.feed_retention r where ${requireLive(RECORD_HISTORY.name, generation)}
      union all select resource, records::text, digest, null from ${totals}`,
    values: [],
  };
}

const perResource = <Value>(value: (resource: Resource) => Value) =>
  Object.fromEntries(RESOURCES.map((resource) => [resource, value(resource)])) as Record<Resource, Value>;

export async function readFeedHead(reads: LiveReads): Promise<FeedHead> {
  const [head, ...totals] = await reads.texts((generation) => feedHead(generation(RECORD_HISTORY.name)));
  const found = new Map(totals.map(([resource, records, digest]) => [resource, { records: Number(records), digest: digest! }]));
  return {
    feedId: head![0] ?? null,
    position: Number(head![1]),
    prunedThrough: Number(head![2]),
    fingerprint: head![3] ?? null,
    counts: perResource((resource) => found.get(resource)?.records ?? 0),
    digests: perResource((resource) => found.get(resource)?.digest ?? EMPTY_DIGEST),
  };
}

/** Of the history up to a position; null where no row has it any more. */
export async function readFingerprint(reads: LiveReads, position: number): Promise<string | null> {
  const [row] = await reads.texts((live) => {
    const generation = live(RECORD_HISTORY.name);
    const text = `select ${fingerprintAt(RECORD_HISTORY.at(generation).history, '$1::bigint')} where ${requireLive(RECORD_HISTORY.name, generation)}`;
    return { text, values: [position] };
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

/** The end of the feed; `feedId` is null until it has been opened, `fingerprint` where the live build is of a version that has none. */
interface HighWaterMark {
  readonly feedId: string | null;
  readonly position: number;
  readonly fingerprint: string | null;
}

/** The highest feed position that is complete, and whose feed it is: null until the feed has been opened. Throws what the database throws. */
export async function readHighWaterMark(reads: LiveReads): Promise<HighWaterMark> {
  const [row] = await reads.texts((live) => {
    const generation = live(RECORD_HISTORY.name);
    const { state } = RECORD_HISTORY.at(generation);
    return {
      name: `high_water_mark_g${generation}`,
      text: `select feed_id::text, head::text, encode(fingerprint, 'hex') from ${state} where ${requireLive(RECORD_HISTORY.name, generation)}`,
      values: [],
    };
  });
  return { feedId: row?.[0] ?? null, position: Number(row?.[1] ?? 0), fingerprint: row?.[2] ?? null };
}
