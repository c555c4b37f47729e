import type { Statement, TextRow, Transactor } from '../../domain/ports/database.ts';
import type { ClientCounts, ReportClaims, ReportLease, ReportLeases, ReportQueue } from '../../domain/ports/report-stores.ts';
import { executeAlone } from './execute.ts';
import { z } from 'zod';
import { secondsUntil } from '../../domain/ports/counts.ts';

const DAY_MS = 86_400_000;
const VALID = `select report_id, holder, token, lease_until from civic.report_leases where holder is not null and lease_until > $1::bigint`;
const HELD = 'report_id = $1 and holder = $2 and token = $3';

const toLease = ([reportId, holder, token, leaseUntil]: TextRow): ReportLease => ({
  reportId: reportId!,
  holder: holder!,
  token: Number(token),
  leaseUntil: Number(leaseUntil),
});

/** Leases of reports in PostgreSQL; every change is one statement. */
export function createReportLeases(transactor: Transactor): ReportLeases {
  const run = executeAlone(transactor);
  return {
    async take({ reportId, holder, now, leaseMs, above, budget }) {
      const text = `select outcome, $1, held_by, fencing_token, held_until
          from civic.take_report_lease($1::uuid, $2, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint)`;
      const values = [reportId, holder, now, now + leaseMs, above, Math.floor(now / DAY_MS), budget];
      const { rows } = await transactor.transaction((transaction) => transaction.execute({ name: 'take_report_lease', text, values }));
      const [outcome, ...lease] = rows[0]!;
      return outcome === 'exhausted' ? { kind: outcome } : { kind: outcome as 'taken' | 'renewed' | 'held', lease: toLease(lease) };
    },
    renew: async ({ reportId, holder, token }, now, leaseMs) =>
      (
        await run(
          `update civic.report_leases set lease_until = greatest(lease_until, $5::bigint) where ${HELD} and lease_until > $4::bigint`,
          [reportId, holder, token, now, now + leaseMs],
        )
      ).count === 1,
    async release({ reportId, holder, token }) {
      await run(`update civic.report_leases set holder = null, lease_until = 0 where ${HELD}`, [reportId, holder, token]);
    },
    async forget(reportId) {
      await run('delete from civic.report_leases where report_id = $1', [reportId]);
    },
    async current(reportId, now) {
      const { rows } = await run(`${VALID} and report_id = $2`, [now, reportId]);
      return rows[0] === undefined ? null : toLease(rows[0]);
    },
    held: async (now) => (await run(`${VALID} order by lease_until, report_id`, [now])).rows.map(toLease),
    async begun(now) {
      const { rows } = await run('select begun from civic.report_budget where day = $1', [Math.floor(now / DAY_MS)]);
      return Number(rows[0]?.[0] ?? 0);
    },
  };
}

const CLAIM = `insert into civic.report_claims as c (account_id, token_key, claimed_by, claimed_until) values ($1::uuid, $2, $3::uuid, $4::bigint)
  on conflict (account_id, token_key) do update set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
  where c.claimed_until < $5::bigint returning 1`;
/** Also deletes expired claims of the account, which a process that died left. */
const RELEASE = `delete from civic.report_claims c using (
    select max(claimed_until) as until from civic.report_claims where account_id = $1::uuid and token_key = $2 and claimed_by = $3::uuid
  ) mine where c.account_id = $1::uuid and (c.token_key = $2 and c.claimed_by = $3::uuid or c.claimed_until < mine.until - 60000)`;

/** Claims in an unlogged table, a row for each claimed token. */
export const createReportClaims = (run: (statement: Statement) => Promise<readonly TextRow[]>): ReportClaims => ({
  async claim({ accountId, tokenKey, by }, until, now) {
    return (await run({ name: 'claim_report_token', text: CLAIM, values: [accountId, tokenKey, by, until, now] })).length === 1;
  },
  async release({ accountId, tokenKey, by }) {
    await run({ name: 'release_report_token', text: RELEASE, values: [accountId, tokenKey, by] });
  },
});

/** A statement that waited for the row sees every reservation made before it: the row holds the whole state. */
const RESERVE = `update civic.report_queue set reserved = reserved || jsonb_build_object($1::text, $2::bigint)
  where counted + (select count(*) from jsonb_object_keys(reserved)) < $3::bigint`;
const GIVE_BACK = 'update civic.report_queue set reserved = reserved - $1::text';
const COUNT = `update civic.report_queue set reserved = reserved - $1::text, counted = counted + 1, recounts = recounts + 1
  where reserved ? $1::text`;
const LOOK = 'select recounts::text, reserved::text from civic.report_queue';
const RECOUNT = `update civic.report_queue set counted = $1::bigint, reserved = reserved - $2::text[], recounts = recounts + 1
  where recounts = $3::bigint`;

const places = z.record(z.string(), z.number());

export function createReportQueue(transactor: Transactor): ReportQueue {
  const execute = executeAlone(transactor);
  return {
    async reserve({ reportId, until, limit }) {
      return (await execute(RESERVE, [reportId, until, limit])).count === 1;
    },
    async giveBack(reportId) {
      await execute(GIVE_BACK, [reportId]);
    },
    async count(reportId) {
      await execute(COUNT, [reportId]);
    },
    async look() {
      const { rows } = await execute(LOOK);
      const [recounts, reserved] = rows[0]!;
      return { recounts: Number(recounts), reserved: new Map(Object.entries(places.parse(JSON.parse(reserved!)))) };
    },
    async recount({ open, freed, seen }) {
      return (await execute(RECOUNT, [open, freed, seen.recounts])).count === 1;
    },
  };
}

/** A statement that waited for the row sees its newest state. Returns no row where the limit is reached. */
const TAKE = `insert into civic.report_client_counts as c (window_start, client, used) values ($1::bigint, $2::uuid, 1)
  on conflict (window_start, client) do update set used = c.used + 1 where c.used < $3::bigint returning used`;
const FORGET = 'delete from civic.report_client_counts where window_start < $1::bigint';

/** Counts in an unlogged table, a row for each client and window. The first request of a window deletes old rows. */
export function createReportClientCounts(run: (statement: Statement) => Promise<readonly TextRow[]>): ClientCounts {
  let latest = 0;
  return {
    async take(client, { requests, seconds }, now) {
      const length = seconds * 1000;
      const start = now - (now % length);
      const rows = await run({ name: 'take_report_request', text: TAKE, values: [start, client, requests] });
      if (start > latest) {
        latest = start;
        // The previous window stays: the clock of another process may be slightly behind.
        await run({ text: FORGET, values: [start - length] });
      }
      return rows.length === 1 ? null : secondsUntil(start + length, now);
    },
  };
}
