import { sql } from 'slonik';
import { z } from 'zod';
import { REPORTS } from '../../projections/reports/tables.ts';
import type { DataReport } from '../../contract/data-report.ts';
import type { ReportWanted } from '../../contract/inputs.ts';
import type { LiveReads, QueryContext } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { unlessNull } from '../fields.ts';
import { liveTokens } from '../live-tables.ts';
import { REPORT_STATE, reportState } from './known-reports.ts';

const MAX_RECORDS = 20;

/** Returns the state of the account's report. Throws `report_not_found` for any other report. */
export const createGetDataReport =
  (reads: LiveReads) =>
  async ({ accountId, reportId }: ReportWanted): Promise<DataReport> => {
    const [row] = await reads.many((live) => {
      const { reports, isLive } = liveTokens(REPORTS, live);
      return sql.type(reportState)`
        select ${REPORT_STATE}
        from ${reports} where report_id = ${reportId}::uuid and account_id = ${accountId}::uuid and ${isLive}`;
    });
    if (row === undefined) throw new Rejection('report_not_found', 'there is no such report of this account');
    return toDataReport(reportId, row);
  };

function toDataReport(reportId: string, row: z.output<typeof reportState>): DataReport {
  const { status, submittedAt, updatedAt, closedAt, nextCheckAt, reasonCode, finding, nextAction, verifiedRecords } =
    row;
  return {
    reportId,
    status,
    submittedAt,
    updatedAt,
    ...unlessNull('closedAt', closedAt),
    ...(closedAt === null ? unlessNull('nextCheckAt', nextCheckAt) : {}),
    ...unlessNull('reasonCode', reasonCode),
    ...unlessNull('finding', finding),
    ...unlessNull('nextAction', nextAction),
    verifiedRecords: verifiedRecords.slice(0, MAX_RECORDS),
  };
}

const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 25;
const readableReport = z.object({ reportId: z.string() });

/** Waits until the report can be read. Returns false if the deadline (clock milliseconds) passes before. */
export async function awaitReport(
  { reads, clock }: QueryContext,
  reportId: string,
  deadline: number,
): Promise<boolean> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
    const rows = await reads.many((live) => {
      const { reports, isLive } = liveTokens(REPORTS, live);
      return sql.type(readableReport)`
        select report_id as "reportId" from ${reports} where report_id = ${reportId}::uuid and ${isLive}`;
    });
    if (rows.length > 0) return true;
    if (clock.now() >= deadline) return false;
    await clock.sleep(pause);
  }
}
