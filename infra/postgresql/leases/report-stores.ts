import { DAY_MS } from '../../../domain/durations.ts';
import { secondsUntil } from '../../../domain/plans.ts';
import type { ReadRows, Transactor } from '../../../domain/ports/database.ts';
import type {
  ClientCounts,
  ReportClaims,
  ReportLease,
  ReportLeases,
  ReportQueue,
} from '../../../domain/ports/report-stores.ts';
import { columnList, sql, statementsIn } from '../connection/statements.ts';

const LEASE = columnList({ reportId: 'report_id', holder: 'holder', token: 'token', leaseUntil: 'lease_until' });
interface LeaseRow extends ReportLease {
  readonly outcome: 'taken' | 'renewed' | 'held' | 'exhausted';
}
const selectValid = (now: number) =>
  sql`select ${LEASE} from civic.report_leases where holder is not null and lease_until > ${now}::bigint`;
const isHeldBy = ({ reportId, holder, token }: Pick<ReportLease, 'reportId' | 'holder' | 'token'>) =>
  sql`report_id = ${reportId} and holder = ${holder} and token = ${token}`;

/** Stores the leases of reports. Every change is one statement. */
export function createReportLeases(transactor: Transactor): ReportLeases {
  const { run, all, first, changed } = statementsIn(transactor);
  return {
    async take({ reportId, holder, now, leaseMs, above, budget }) {
      const take = sql`select outcome, ${reportId} as "reportId", held_by as holder, fencing_token as token,
          held_until as "leaseUntil"
        from civic.take_report_lease(${reportId}::uuid, ${holder}, ${now}::bigint, ${now + leaseMs}::bigint,
          ${above}::bigint, ${Math.floor(now / DAY_MS)}::bigint, ${budget}::bigint)`;
      const row = await first<LeaseRow>({ name: 'take_report_lease', ...take });
      const { outcome, ...lease } = row!;
      return outcome === 'exhausted' ? { kind: outcome } : { kind: outcome, lease };
    },
    renew: (lease, now, leaseMs) =>
      changed(sql`update civic.report_leases set lease_until = greatest(lease_until, ${now + leaseMs}::bigint)
        where ${isHeldBy(lease)} and lease_until > ${now}::bigint`),
    async release(lease) {
      await run(sql`update civic.report_leases set holder = null, lease_until = 0 where ${isHeldBy(lease)}`);
    },
    async forget(reportId) {
      await run(sql`delete from civic.report_leases where report_id = ${reportId}`);
    },
    current: (reportId, now) => first(sql`${selectValid(now)} and report_id = ${reportId}`),
    listValid: (now) => all(sql`${selectValid(now)} order by lease_until, report_id`),
    async countBegun(now) {
      const day = Math.floor(now / DAY_MS);
      const row = await first<{ begun: number }>(sql`select begun from civic.report_budget where day = ${day}`);
      return row?.begun ?? 0;
    },
  };
}

/** Milliseconds that an expired claim of another token remains, because its owner might still be working. */
const CLAIM_REST_MS = 60_000;

export const createReportClaims = (run: ReadRows): ReportClaims => ({
  async claim({ accountId, tokenKey, by }, until, now) {
    const statement = sql`insert into civic.report_claims as c (account_id, token_key, claimed_by, claimed_until)
      values (${accountId}::uuid, ${tokenKey}, ${by}::uuid, ${until}::bigint)
      on conflict (account_id, token_key)
        do update set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
      where c.claimed_until < ${now}::bigint returning 1`;
    return (await run({ name: 'claim_report_token', ...statement })).length === 1;
  },
  /** Releases the claim and deletes the expired claims that dead processes left in the account. */
  async release({ accountId, tokenKey, by }) {
    const ownClaim = sql`account_id = ${accountId}::uuid and token_key = ${tokenKey} and claimed_by = ${by}::uuid`;
    const statement = sql`delete from civic.report_claims c using (
        select max(claimed_until) as until from civic.report_claims where ${ownClaim}
      ) mine where c.account_id = ${accountId}::uuid
        and (c.token_key = ${tokenKey} and c.claimed_by = ${by}::uuid
          or c.claimed_until < mine.until - ${CLAIM_REST_MS}::bigint)`;
    await run({ name: 'release_report_token', ...statement });
  },
});

interface QueueRow {
  readonly recounts: number;
  readonly reserved: Readonly<Record<string, number>>;
}

/** Stores the count and all reservations in one row, so that a statement that waited for its lock sees them all. */
export function createReportQueue(transactor: Transactor): ReportQueue {
  const { run, first, changed } = statementsIn(transactor);
  return {
    reserve: ({ reportId, until, limit }) =>
      changed(sql`update civic.report_queue
        set reserved = reserved || jsonb_build_object(${reportId}::text, ${until}::bigint)
        where counted + (select count(*) from jsonb_object_keys(reserved)) < ${limit}::bigint`),
    async giveBack(reportId) {
      await run(sql`update civic.report_queue set reserved = reserved - ${reportId}::text`);
    },
    async count(reportId) {
      await run(sql`update civic.report_queue
        set reserved = reserved - ${reportId}::text, counted = counted + 1, recounts = recounts + 1
        where reserved ? ${reportId}::text`);
    },
    async look() {
      const row = await first<QueueRow>(sql`select recounts, reserved from civic.report_queue`);
      return { recounts: row!.recounts, reserved: new Map(Object.entries(row!.reserved)) };
    },
    recount: ({ open, freed, seen }) =>
      changed(sql`update civic.report_queue
        set counted = ${open}::bigint, reserved = reserved - ${freed}::text[], recounts = recounts + 1
        where recounts = ${seen.recounts}::bigint`),
  };
}

/** Counts in an unlogged table with a row per client and window. The first request of a window deletes old rows. */
export function createReportClientCounts(run: ReadRows): ClientCounts {
  let latestWindow = 0;
  return {
    async take(client, { requests, seconds }, now) {
      const length = seconds * 1000;
      const start = now - (now % length);
      // Returns no row if the limit is reached.
      const count = sql`insert into civic.report_client_counts as c (window_start, client, used)
        values (${start}::bigint, ${client}::uuid, 1)
        on conflict (window_start, client) do update set used = c.used + 1 where c.used < ${requests}::bigint
        returning used`;
      const rows = await run({ name: 'take_report_request', ...count });
      if (start > latestWindow) {
        latestWindow = start;
        // The previous window remains, because the clock of another process might be slightly behind.
        await run(sql`delete from civic.report_client_counts where window_start < ${start - length}::bigint`);
      }
      return rows.length === 1 ? null : secondsUntil(start + length, now);
    },
  };
}
