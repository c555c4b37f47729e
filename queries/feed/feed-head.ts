import type { Statement } from '../../domain/ports/database.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import { EMPTY_DIGEST } from '../../domain/state-digest.ts';
import { RESOURCES, type Resource } from '../../domain/records/resources.ts';
import { fingerprintAt, RECORD_HISTORY, recordHistoryTables } from '../../projections/record-history/tables.ts';

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
  const { state, totals } = recordHistoryTables(generation);
  return {
    name: `feed_head_g${generation}`,
    text: `select s.feed_id::text, s.head::text, r.pruned_through::text, encode(s.fingerprint, 'hex') from ${state} s, civic.feed_retention r where ${requireLive(RECORD_HISTORY, generation)}
      union all select resource, records::text, digest, null from ${totals}`,
    values: [],
  };
}

const perResource = <Value>(value: (resource: Resource) => Value) =>
  Object.fromEntries(RESOURCES.map((resource) => [resource, value(resource)])) as Record<Resource, Value>;

export async function readFeedHead(reads: LiveReads): Promise<FeedHead> {
  const [head, ...totals] = await reads.texts((generation) => feedHead(generation(RECORD_HISTORY)));
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
    const generation = live(RECORD_HISTORY);
    const text = `select ${fingerprintAt(recordHistoryTables(generation).history, '$1::bigint')} where ${requireLive(RECORD_HISTORY, generation)}`;
    return { text, values: [position] };
  });
  return row?.[0] ?? null;
}
