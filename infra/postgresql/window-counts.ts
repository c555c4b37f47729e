import type { Statement, TextRow } from '../../domain/ports/database.ts';
import { type BucketState, secondsUntil, type WindowCounts } from '../../domain/ports/window-counts.ts';

const TAKE = 'select taken, now_used, ends from civic.take_units($1::uuid, $2::text[], $3::bigint[], $4::bigint[], $5::bigint, $6::bigint)';

/** Counts in an unlogged table. One statement locks the rows of an account in the order of their names, which avoids deadlocks. */
export const createWindowCounts = (run: (statement: Statement) => Promise<readonly TextRow[]>): WindowCounts => ({
  async take(accountId, buckets, units, now) {
    const rows = await run({
      name: 'take_units',
      text: TAKE,
      values: [
        accountId,
        buckets.map(({ name }) => name),
        buckets.map(({ limit }) => limit),
        buckets.map(({ seconds }) => seconds * 1000),
        units,
        now,
      ],
    });
    const states = rows.map(
      ([, used, ends], nth): BucketState => ({
        bucket: buckets[nth]!,
        remaining: Math.max(0, buckets[nth]!.limit - Number(used)),
        resetSeconds: secondsUntil(Number(ends), now),
      }),
    );
    if (rows.every(([taken]) => taken === 't')) return { kind: 'taken', states };
    const [last] = states.filter(({ remaining }) => remaining < units).toSorted((one, other) => other.resetSeconds - one.resetSeconds);
    return { kind: 'exhausted', bucket: last!.bucket, retryAfterSeconds: last!.resetSeconds };
  },
});
