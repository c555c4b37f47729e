import { REPORTS } from '../../projections/reports/tables.ts';
import type { DataReport } from '../../contract/data-report.ts';
import type { ReportWanted } from '../../contract/inputs.ts';
import type { TextRow } from '../../domain/ports/database.ts';
import type { LiveReads, QueryContext } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { isoTime, unlessNull } from '../fields.ts';
import { liveRows } from '../live-tables.ts';

const COLUMNS = 'status, submitted_at, updated_at, closed_at, next_check_at, reason_code, finding, next_action, verified_records';
const MAX_RECORDS = 20;

/** The state of a report of the account. Any other report is refused with `report_not_found`. */
export const createGetDataReport =
  (reads: LiveReads) =>
  async ({ accountId, reportId }: ReportWanted): Promise<DataReport> => {
    const [row] = await liveRows(reads, REPORTS, {
      name: 'own_report',
      text: ({ reports, isLive }) => `select ${COLUMNS} from ${reports} where report_id = $1::uuid and account_id = $2::uuid and ${isLive}`,
      values: [reportId, accountId],
    });
    if (row === undefined) throw new Rejection('report_not_found', 'there is no such report of this account');
    return toDataReport(reportId, row);
  };

function toDataReport(reportId: string, row: TextRow): DataReport {
  const [status, submittedAt, updatedAt, closedAt, nextCheckAt, reasonCode, finding, nextAction, verifiedRecords] = row;
  const records = JSON.parse(verifiedRecords!) as DataReport['verifiedRecords'];
  return {
    reportId,
    status: status as DataReport['status'],
    submittedAt: isoTime(submittedAt!),
    updatedAt: isoTime(updatedAt!),
    ...unlessNull('closedAt', isoTime(closedAt)),
    ...(closedAt === null ? unlessNull('nextCheckAt', isoTime(nextCheckAt)) : {}),
    ...unlessNull('reasonCode', reasonCode as DataReport['reasonCode'] | null),
    ...unlessNull('finding', finding),
    ...unlessNull('nextAction', nextAction),
    verifiedRecords: records.slice(0, MAX_RECORDS),
  };
}

const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 25;

/** False when the deadline (clock milliseconds) passes before the report can be read. */
export async function awaitReport({ reads, clock }: QueryContext, reportId: string, deadline: number): Promise<boolean> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
    const rows = await liveRows(reads, REPORTS, {
      name: 'report_is_there',
      text: ({ reports, isLive }) => `select 1 from ${reports} where report_id = $1::uuid and ${isLive}`,
      values: [reportId],
    });
    if (rows.length > 0) return true;
    if (clock.now() >= deadline) return false;
    await clock.sleep(pause);
  }
}
