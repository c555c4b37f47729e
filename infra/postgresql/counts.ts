import type { ColumnArrays, ReadDatabase, Transactor } from '../../domain/ports/database.ts';
import { secondsUntil } from '../../domain/plans.ts';
import type { BucketState, FeedRead, SharedCounts, WindowCounts } from '../../domain/ports/counts.ts';
import { burstBucket, type ChargeUnits, minuteBucket } from '../../domain/plans.ts';
import { sql, statementsIn } from './statements.ts';

type Run = ReadDatabase['texts'];

/** Counts in an unlogged table. One statement locks the rows of an account in the order of their names, which avoids deadlocks. */
export const createWindowCounts = (run: Run): WindowCounts => ({
  async take(accountId, buckets, units, now) {
    const names = buckets.map(({ name }) => name);
    const limits = buckets.map(({ limit }) => limit);
    const lengths = buckets.map(({ seconds }) => seconds * 1000);
    const take = sql`select taken, now_used, ends from civic.take_units(${accountId}::uuid, ${names}::text[], ${limits}::bigint[],
      ${lengths}::bigint[], ${units}::bigint, ${now}::bigint)`;
    const rows = await run({ name: 'take_units', ...take });
    const states = rows.map(([, used, ends], nth): BucketState => {
      const bucket = buckets[nth]!;
      return { bucket, remaining: Math.max(0, bucket.limit - Number(used)), resetSeconds: secondsUntil(Number(ends), now) };
    });
    if (rows.every(([taken]) => taken === 't')) return { kind: 'taken', states };
    const [last] = states.filter(({ remaining }) => remaining < units).toSorted((one, other) => other.resetSeconds - one.resetSeconds);
    return { kind: 'exhausted', bucket: last!.bucket, retryAfterSeconds: last!.resetSeconds };
  },
});

/** Counts in an unlogged table. Each process writes its own rows, so that no two wait for each other. `process` is a uuid. */
export const createSharedCounts = (transactor: Transactor, columns: ColumnArrays, process: string): SharedCounts => ({
  exchange: (window, counts) =>
    transactor.transaction(async (transaction) => {
      const counted = columns.texts([...counts.keys()]);
      const add = sql`insert into civic.public_counts (window_start, counted, process, requests)
        select ${window}::bigint, c.counted, ${process}::uuid, c.requests
        from unnest(${counted}::text[], ${columns.bigints([...counts.values()])}::bigint[]) c(counted, requests)
        on conflict (window_start, counted, process) do update set requests = excluded.requests`;
      const sum = sql`select counted, sum(requests)::text from civic.public_counts
        where window_start = ${window}::bigint and counted = any(${counted}::text[]) and process <> ${process}::uuid group by counted`;
      await transaction.execute({ name: 'add_public_counts', ...add });
      const { rows } = await transaction.execute({ name: 'sum_public_counts', ...sum });
      return new Map(rows.map(([name, requests]) => [name!, Number(requests)]));
    }),
  async forget(before) {
    await statementsIn(transactor).run(sql`delete from civic.public_counts where window_start < ${before}::bigint`);
  },
});

/** Charges the row that admission charges: a batch and concurrent requests together stay within the allowance. */
export const createChargeUnits =
  (run: Run): ChargeUnits =>
  async (accountId, allowances, units, now) => {
    const charge = sql`select allowed, allowance_opens, minute_left, minute_ends, burst_left, burst_ends
      from civic.admit_requests(${accountId}::uuid, true, false, true, 1, ${units}::bigint, ${now}::bigint, '{}',
        ${allowances.requestsPerMinute}::bigint, ${allowances.burstLimit}::bigint)`;
    const [row] = await run({ name: 'charge_further', ...charge });
    const [allowed, opens, minuteLeft, minuteEnds, burstLeft, burstEnds] = row!;
    const states = [
      { bucket: minuteBucket(allowances), remaining: Number(minuteLeft), resetSeconds: secondsUntil(Number(minuteEnds), now) },
      { bucket: burstBucket(allowances), remaining: Number(burstLeft), resetSeconds: secondsUntil(Number(burstEnds), now) },
    ];
    return allowed === '1'
      ? { kind: 'charged', states }
      : { kind: 'exhausted', retryAfterSeconds: secondsUntil(Number(opens), now), states };
  };

/** Writes nothing where another process has stored a use within the hour before. */
export const createKeyUseStore =
  (run: Run) =>
  async (sha256: string, at: number): Promise<void> => {
    const store = sql`insert into civic.key_uses as u (sha256, used_at) values (${sha256}, ${at}::bigint)
    on conflict (sha256) do update set used_at = excluded.used_at where excluded.used_at >= u.used_at + 3600000`;
    await run({ name: 'store_key_use', ...store });
  };

/** Keeps the later of two reads of a key. */
export const createFeedReadStore =
  (run: Run) =>
  async (reads: readonly FeedRead[]): Promise<void> => {
    const store = sql`insert into civic.feed_reads as f (key_id, read_at, unread_since)
      select r."keyId", r."readAt", r."unreadSince"
      from jsonb_to_recordset(${JSON.stringify(reads)}::jsonb) r ("keyId" uuid, "readAt" bigint, "unreadSince" bigint) order by 1
      on conflict (key_id) do update set read_at = excluded.read_at, unread_since = excluded.unread_since
        where excluded.read_at >= f.read_at`;
    await run({ name: 'store_feed_reads', ...store });
  };
