import type { ColumnArrays, Statement, TextRow, Transactor } from '../../domain/ports/database.ts';
import { type BucketState, secondsUntil, type SharedCounts, type WindowCounts } from '../../domain/ports/counts.ts';
import { burstBucket, minuteBucket } from '../../domain/plans.ts';
import type { ChargeUnits } from '../../domain/ports/admission-counts.ts';

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

const ADD = `insert into civic.public_counts (window_start, counted, process, requests)
  select $1::bigint, c.counted, $2::uuid, c.requests from unnest($3::text[], $4::bigint[]) c(counted, requests)
  on conflict (window_start, counted, process) do update set requests = excluded.requests`;
const SUM = `select counted, sum(requests)::text from civic.public_counts
  where window_start = $1::bigint and counted = any($3::text[]) and process <> $2::uuid group by counted`;
const FORGET = 'delete from civic.public_counts where window_start < $1::bigint';

/** Counts in an unlogged table. Each process writes its own rows, so that no two wait for each other. `process` is a uuid. */
export const createSharedCounts = (transactor: Transactor, columns: ColumnArrays, process: string): SharedCounts => ({
  exchange: (window, counts) =>
    transactor.transaction(async (transaction) => {
      const counted = columns.texts([...counts.keys()]);
      await transaction.execute({
        name: 'add_public_counts',
        text: ADD,
        values: [window, process, counted, columns.bigints([...counts.values()])],
      });
      const { rows } = await transaction.execute({ name: 'sum_public_counts', text: SUM, values: [window, process, counted] });
      return new Map(rows.map(([name, requests]) => [name!, Number(requests)]));
    }),
  async forget(before) {
    await transactor.transaction((transaction) => transaction.execute({ text: FORGET, values: [before] }));
  },
});

const CHARGE = `select allowed, allowance_opens, minute_left, minute_ends, burst_left, burst_ends
  from civic.admit_requests($1::uuid, true, false, true, 1, $2::bigint, $3::bigint, '{}', $4::bigint, $5::bigint)`;

/** Charges the row that admission charges, so that a batch and concurrent requests together never exceed the allowance. */
export const createChargeUnits =
  (run: (statement: Statement) => Promise<readonly TextRow[]>): ChargeUnits =>
  async (accountId, allowances, units, now) => {
    const values = [accountId, units, now, allowances.requestsPerMinute, allowances.burstLimit];
    const [row] = await run({ name: 'charge_further', text: CHARGE, values });
    const [allowed, opens, minuteLeft, minuteEnds, burstLeft, burstEnds] = row!;
    const states = [
      { bucket: minuteBucket(allowances), remaining: Number(minuteLeft), resetSeconds: secondsUntil(Number(minuteEnds), now) },
      { bucket: burstBucket(allowances), remaining: Number(burstLeft), resetSeconds: secondsUntil(Number(burstEnds), now) },
    ];
    return allowed === '1'
      ? { kind: 'charged', states }
      : { kind: 'exhausted', retryAfterSeconds: secondsUntil(Number(opens), now), states };
  };
