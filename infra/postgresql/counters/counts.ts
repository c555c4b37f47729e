import type { ReadRows, Transactor } from '../../../domain/ports/database.ts';
import { secondsUntil } from '../../../domain/plans.ts';
import type { BucketState, FeedRead, SharedCounts, WindowCounts } from '../../../domain/ports/counts.ts';
import { burstBucket, type ChargeUnits, minuteBucket } from '../../../domain/plans.ts';
import { sql, statementsIn } from '../connection/statements.ts';

interface TakenUnits {
  readonly taken: boolean;
  readonly used: number;
  readonly ends: number;
}

/** Counts in an unlogged table. Locks the rows of an account in the order of their names, which avoids deadlocks. */
export const createWindowCounts = (run: ReadRows): WindowCounts => ({
  async take(accountId, buckets, units, now) {
    const names = buckets.map(({ name }) => name);
    const limits = buckets.map(({ limit }) => limit);
    const lengths = buckets.map(({ seconds }) => seconds * 1000);
    const take = sql`select taken, now_used as used, ends from civic.take_units(${accountId}::uuid, ${names}::text[],
      ${limits}::bigint[], ${lengths}::bigint[], ${units}::bigint, ${now}::bigint)`;
    const rows = await run<TakenUnits>({ name: 'take_units', ...take });
    const states = rows.map(({ used, ends }, nth): BucketState => {
      const bucket = buckets[nth]!;
      return {
        bucket,
        remaining: Math.max(0, bucket.limit - used),
        resetSeconds: secondsUntil(ends, now),
      };
    });
    if (rows.every(({ taken }) => taken)) return { kind: 'taken', states };
    const [last] = states
      .filter(({ remaining }) => remaining < units)
      .toSorted((one, other) => other.resetSeconds - one.resetSeconds);
    return { kind: 'exhausted', bucket: last!.bucket, retryAfterSeconds: last!.resetSeconds };
  },
});

interface CountedRequests {
  readonly counted: string;
  readonly requests: number;
}

/**
 * Counts in an unlogged table. Each process writes its own rows, so processes never wait for each other. `process` is a
 * uuid.
 */
export const createSharedCounts = (transactor: Transactor, process: string): SharedCounts => ({
  exchange: (window, counts) =>
    transactor.transaction(async (transaction) => {
      const names = [...counts.keys()];
      const add = sql`insert into civic.public_counts (window_start, counted, process, requests)
        select ${window}::bigint, c.counted, ${process}::uuid, c.requests
        from unnest(${names}::text[], ${[...counts.values()]}::bigint[]) c(counted, requests)
        on conflict (window_start, counted, process) do update set requests = excluded.requests`;
      const sum = sql`select counted, sum(requests)::bigint as requests from civic.public_counts
        where window_start = ${window}::bigint and counted = any(${names}::text[]) and process <> ${process}::uuid
        group by counted`;
      await transaction.query({ name: 'add_public_counts', ...add });
      const { rows } = await transaction.query<CountedRequests>({ name: 'sum_public_counts', ...sum });
      return new Map(rows.map(({ counted, requests }) => [counted, requests]));
    }),
  async forget(before) {
    await statementsIn(transactor).run(sql`delete from civic.public_counts where window_start < ${before}::bigint`);
  },
});

interface ChargedUnits {
  readonly allowed: number;
  readonly opens: number;
  readonly minuteLeft: number;
  readonly minuteEnds: number;
  readonly burstLeft: number;
  readonly burstEnds: number;
}

/** Charges the same row as admission, so that a batch and concurrent requests together stay within the allowance. */
export const createChargeUnits =
  (run: ReadRows): ChargeUnits =>
  async (accountId, allowances, units, now) => {
    const charge = sql`select allowed, allowance_opens as opens,
        minute_left as "minuteLeft", minute_ends as "minuteEnds", burst_left as "burstLeft", burst_ends as "burstEnds"
      from civic.admit_requests(${accountId}::uuid, true, false, true, 1, ${units}::bigint, ${now}::bigint, '{}',
        ${allowances.requestsPerMinute}::bigint, ${allowances.burstLimit}::bigint)`;
    const [row] = await run<ChargedUnits>({ name: 'charge_further', ...charge });
    const { allowed, opens, minuteLeft, minuteEnds, burstLeft, burstEnds } = row!;
    const states = [
      { bucket: minuteBucket(allowances), remaining: minuteLeft, resetSeconds: secondsUntil(minuteEnds, now) },
      { bucket: burstBucket(allowances), remaining: burstLeft, resetSeconds: secondsUntil(burstEnds, now) },
    ];
    return allowed === 1
      ? { kind: 'charged', states }
      : { kind: 'exhausted', retryAfterSeconds: secondsUntil(opens, now), states };
  };

/** Stores when a key was used, unless a use within the hour before is already stored. */
export const createKeyUseStore =
  (run: ReadRows) =>
  async (sha256: string, at: number): Promise<void> => {
    const store = sql`insert into civic.key_uses as u (sha256, used_at) values (${sha256}, ${at}::bigint)
    on conflict (sha256) do update set used_at = excluded.used_at where excluded.used_at >= u.used_at + 3600000`;
    await run({ name: 'store_key_use', ...store });
  };

/** Stores the last feed read of each key. */
export const createFeedReadStore =
  (run: ReadRows) =>
  async (reads: readonly FeedRead[]): Promise<void> => {
    const store = sql`insert into civic.feed_reads as f (key_id, read_at, unread_since)
      select r."keyId", r."readAt", r."unreadSince"
      from jsonb_to_recordset(${JSON.stringify(reads)}::jsonb) r ("keyId" uuid, "readAt" bigint, "unreadSince" bigint)
      order by 1
      on conflict (key_id) do update set read_at = excluded.read_at, unread_since = excluded.unread_since
        where excluded.read_at >= f.read_at`;
    await run({ name: 'store_feed_reads', ...store });
  };
