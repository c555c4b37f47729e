import { REPORTS } from '../../projections/reports/tables.ts';
import type { DataReport } from '../../contract/data-report.ts';
import type { ReportWanted } from '../../contract/inputs.ts';
import type { Statement, TextRow } from '../../domain/ports/database.ts';
import { type LiveReads, type QueryContext, requireLive } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';

const COLUMNS = 'status, submitted_at, updated_at, closed_at, next_check_at, reason_code, finding, next_action, verified_records';
const MAX_RECORDS = 20;

const ownReport = (generation: number, accountId: string, reportId: string): Statement => ({
  name: `own_report_g${generation}`,
  text: `select ${COLUMNS} from ${REPORTS.at(generation).reports}
    where report_id = $1::uuid and account_id = $2::uuid and ${requireLive(REPORTS.name, generation)}`,
  values: [reportId, accountId],
});

/** The state of a report of the account. Any other report is refused with `report_not_found`. */
export const createGetDataReport =
  (reads: LiveReads) =>
  async ({ accountId, reportId }: ReportWanted): Promise<DataReport> => {
    const [row] = await reads.texts((live) => ownReport(live(REPORTS.name), accountId, reportId));
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
    ...present('closedAt', closedAt, isoTime),
    ...(closedAt === null ? present('nextCheckAt', nextCheckAt, isoTime) : {}),
    ...present('reasonCode', reasonCode, (code) => code as NonNullable<DataReport['reasonCode']>),
    ...present('finding', finding, String),
    ...present('nextAction', nextAction, String),
    verifiedRecords: records.slice(0, MAX_RECORDS),
  };
}

const isoTime = (milliseconds: string): string => new Date(Number(milliseconds)).toISOString();

/** A field that is left out where it is null. */
const present = <Name extends string, Value>(name: Name, text: string | null | undefined, read: (text: string) => Value) =>
  (text === null || text === undefined ? {} : { [name]: read(text) }) as { readonly [N in Name]?: Value };

const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 25;

/** Resolves true once the report can be read, false when the deadline (clock milliseconds) passes first. */
export async function awaitReport({ reads, clock }: QueryContext, reportId: string, deadline: number): Promise<boolean> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
    const rows = await reads.texts((live) => {
      const generation = live(REPORTS.name);
      return {
        name: `report_is_there_g${generation}`,
        text: `select 1 from ${REPORTS.at(generation).reports} where report_id = $1::uuid and ${requireLive(REPORTS.name, generation)}`,
        values: [reportId],
      };
    });
    if (rows.length > 0) return true;
    if (clock.now() >= deadline) return false;
    await clock.sleep(pause);
  }
}
