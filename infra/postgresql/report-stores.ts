import { z } from 'zod';
import { columns, number, text } from '../../domain/columns.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { secondsUntil } from '../../domain/plans.ts';
import type { ReadDatabase, Transactor } from '../../domain/ports/database.ts';
import type { ClientCounts, ReportClaims, ReportLease, ReportLeases, ReportQueue } from '../../domain/ports/report-stores.ts';
import { sql, statementsIn } from './statements.ts';

const LEASE = columns({
  reportId: ['report_id', text],
  holder: ['holder', text],
  token: ['token', number],
  leaseUntil: ['lease_until', number],
});
const valid = (now: number) => sql`select ${LEASE} from civic.report_leases where holder is not null and lease_until > ${now}::bigint`;
const held = ({ reportId, holder, token }: Pick<ReportLease, 'reportId' | 'holder' | 'token'>) =>
  sql`report_id = ${reportId} and holder = ${holder} and token = ${token}`;

/** Every change is one statement. */
export function createReportLeases(transactor: Transactor): ReportLeases {
  const { run, rows, all, first, changed } = statementsIn(transactor);
  return {
    async take({ reportId, holder, now, leaseMs, above, budget }) {
      const taken = sql`select outcome, ${reportId}, held_by, fencing_token, held_until
        from civic.take_report_lease(${reportId}::uuid, ${holder}, ${now}::bigint, ${now + leaseMs}::bigint, ${above}::bigint,
          ${Math.floor(now / DAY_MS)}::bigint, ${budget}::bigint)`;
      const [outcome, ...lease] = (await rows({ name: 'take_report_lease', ...taken }))[0]!;
      return outcome === 'exhausted' ? { kind: outcome } : { kind: outcome as 'taken' | 'renewed' | 'held', lease: LEASE.read(lease) };
    },
    renew: (lease, now, leaseMs) =>
      changed(sql`update civic.report_leases set lease_until = greatest(lease_until, ${now + leaseMs}::bigint)
        where ${held(lease)} and lease_until > ${now}::bigint`),
    async release(lease) {
      await run(sql`update civic.report_leases set holder = null, lease_until = 0 where ${held(lease)}`);
    },
    async forget(reportId) {
      await run(sql`delete from civic.report_leases where report_id = ${reportId}`);
    },
    current: (reportId, now) => first(LEASE, sql`${valid(now)} and report_id = ${reportId}`),
    held: (now) => all(LEASE, sql`${valid(now)} order by lease_until, report_id`),
    async begun(now) {
      const [row] = await rows(sql`select begun from civic.report_budget where day = ${Math.floor(now / DAY_MS)}`);
      return Number(row?.[0] ?? 0);
    },
  };
}

type Run = ReadDatabase['texts'];

/** An expired claim of another token stays for so long (milliseconds): its holder may still be at work. */
const CLAIM_REST_MS = 60_000;

export const createReportClaims = (run: Run): ReportClaims => ({
  async claim({ accountId, tokenKey, by }, until, now) {
    const statement = sql`insert into civic.report_claims as c (account_id, token_key, claimed_by, claimed_until)
      values (${accountId}::uuid, ${tokenKey}, ${by}::uuid, ${until}::bigint)
      on conflict (account_id, token_key) do update set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
      where c.claimed_until < ${now}::bigint returning 1`;
    return (await run({ name: 'claim_report_token', ...statement })).length === 1;
  },
  /** Also deletes expired claims of the account, which a process that died left. */
  async release({ accountId, tokenKey, by }) {
    const mine = sql`account_id = ${accountId}::uuid and token_key = ${tokenKey} and claimed_by = ${by}::uuid`;
    const statement = sql`delete from civic.report_claims c using (
        select max(claimed_until) as until from civic.report_claims where ${mine}
      ) mine where c.account_id = ${accountId}::uuid
        and (c.token_key = ${tokenKey} and c.claimed_by = ${by}::uuid or c.claimed_until < mine.until - ${CLAIM_REST_MS}::bigint)`;
    await run({ name: 'release_report_token', ...statement });
  },
});

const places = z.record(z.string(), z.number());

/** A statement that waited for the row sees every reservation made before it: the row holds the whole state. */
export function createReportQueue(transactor: Transactor): ReportQueue {
  const { run, rows, changed } = statementsIn(transactor);
  return {
    reserve: ({ reportId, until, limit }) =>
      changed(sql`update civic.report_queue set reserved = reserved || jsonb_build_object(${reportId}::text, ${until}::bigint)
        where counted + (select count(*) from jsonb_object_keys(reserved)) < ${limit}::bigint`),
    async giveBack(reportId) {
      await run(sql`update civic.report_queue set reserved = reserved - ${reportId}::text`);
    },
    async count(reportId) {
      await run(sql`update civic.report_queue set reserved = reserved - ${reportId}::text, counted = counted + 1, recounts = recounts + 1
        where reserved ? ${reportId}::text`);
    },
    async look() {
      const [recounts, reserved] = (await rows(sql`select recounts::text, reserved::text from civic.report_queue`))[0]!;
      return { recounts: Number(recounts), reserved: new Map(Object.entries(places.parse(JSON.parse(reserved!)))) };
    },
    recount: ({ open, freed, seen }) =>
      changed(sql`update civic.report_queue set counted = ${open}::bigint, reserved = reserved - ${freed}::text[], recounts = recounts + 1
        where recounts = ${seen.recounts}::bigint`),
  };
}

/** Counts in an unlogged table, a row for each client and window. The first request of a window deletes old rows. */
export function createReportClientCounts(run: Run): ClientCounts {
  let latest = 0;
  return {
    async take(client, { requests, seconds }, now) {
      const length = seconds * 1000;
      const start = now - (now % length);
      // A statement that waited for the row sees its newest state. Returns no row where the limit is reached.
      const counted = sql`insert into civic.report_client_counts as c (window_start, client, used) values (${start}::bigint, ${client}::uuid, 1)
        on conflict (window_start, client) do update set used = c.used + 1 where c.used < ${requests}::bigint returning used`;
      const rows = await run({ name: 'take_report_request', ...counted });
      if (start > latest) {
        latest = start;
        // The previous window stays: the clock of another process may be slightly behind.
        await run(sql`delete from civic.report_client_counts where window_start < ${start - length}::bigint`);
      }
      return rows.length === 1 ? null : secondsUntil(start + length, now);
    },
  };
}
