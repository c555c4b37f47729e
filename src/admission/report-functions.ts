import { createIntakeGate } from '../../commands/report-intake/intake-gate.ts';
import { createReportPlaces } from '../../commands/report-intake/report-places.ts';
import { createSubmitDataReport } from '../../commands/report-intake/submit-data-report.ts';
import { awaitReport } from '../../queries/await-report.ts';
import { createGetDataReport } from '../../queries/get-data-report.ts';
import { openReports } from '../../queries/open-reports.ts';
import type { ReportFunctions } from '../contract/handlers.ts';
import type { Identifiers } from '../domain/identifiers.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { DeciderCheckpoints } from '../domain/ports/decider-checkpoints.ts';
import type { EventLog } from '../domain/ports/event-log.ts';
import type { LiveReads } from '../domain/ports/projection.ts';
import type { ReportClaims } from '../domain/ports/report-claims.ts';
import type { ReportLeases } from '../domain/ports/report-leases.ts';
import type { ReportQueue } from '../domain/ports/report-queue.ts';
import type { WindowCounts } from '../domain/ports/window-counts.ts';
import { limitedReportReads } from './report-reads.ts';

export interface ReportFunctionsParts {
  readonly log: EventLog;
  readonly checkpoints: DeciderCheckpoints;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly reads: LiveReads;
  readonly windows: WindowCounts;
  readonly claims: ReportClaims;
  readonly queue: ReportQueue;
  readonly leases: Pick<ReportLeases, 'begun'>;
  /** Open reports of all accounts at most. */
  readonly queueLimit: number;
  /** Investigations that may begin in a day. */
  readonly dailyBudget: number;
  /** How long a submission may take. */
  readonly deadlineMs: number;
  /** Waits until the read model of reports has seen all that the log holds now; false at the deadline (clock milliseconds). */
  readonly caughtUp: (deadline: number) => Promise<boolean>;
}

/** What the report operations and the report tools ask, with every limit of reports that they share. */
export const createReportFunctions = (parts: ReportFunctionsParts): ReportFunctions => {
  const { reads, clock } = parts;
  const places = createReportPlaces({ ...parts, limit: parts.queueLimit, openReports: (reportIds) => openReports(reads, reportIds) });
  return {
    submitDataReport: createSubmitDataReport({
      ...parts,
      places,
      closed: createIntakeGate(parts),
      readable: (reportId, deadline) => awaitReport({ reads, clock }, reportId, deadline),
    }),
    getDataReport: limitedReportReads(parts, createGetDataReport(reads)),
  };
};
