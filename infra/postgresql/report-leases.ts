import type { TextRow, Transactor } from '../../domain/ports/database.ts';
import type { ReportLease, ReportLeases } from '../../domain/ports/report-leases.ts';
import { executeAlone } from './execute.ts';

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
