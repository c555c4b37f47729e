import type { Statement, TextRow } from '../../domain/ports/database.ts';
import type { ReportClaims } from '../../domain/ports/report-claims.ts';

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
