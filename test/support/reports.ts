import { createReportLeases } from '../../infra/postgresql/leases/report-stores.ts';
import { reports } from '../../projections/reports/projection.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { recordKeys } from '../../projections/record-keys/projection.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import { findReport, type KnownReport } from '../../queries/reports/known-reports.ts';
import { publishedRecords } from '../../queries/feed/published-records.ts';
import type { AccountReportEvent, ReportInput } from '../../domain/events/report-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import type { Progress } from '../../domain/ports/projection.ts';
import { accountReportsStream } from '../../domain/streams.ts';
import {
  createReportSettler,
  createReportWorker,
  dueReports,
  type ReportWorkerDependencies,
} from '../../src/processors/reactors/reports/report-reactors.ts';
import { openTestCivic, type TestCivicOptions } from './civic.ts';

export const REPORT_MODELS = [reports, recordKeys, recordHistory, recordReferences] as const;
export const REPORT_MODEL_NAMES = REPORT_MODELS.map(({ name }) => name);

let opened = 0;

export type TestReports = Awaited<ReturnType<typeof openReports>>;

/** The read models and the processors of reports on one database, with a test clock. */
export async function openReports(
  url: string,
  options: TestCivicOptions & { readonly folds?: boolean; readonly budget?: number } = {},
) {
  const civic = await openTestCivic(url, options);
  if (options.folds !== false) civic.startProjector(REPORT_MODELS);
  const { log, clock, reads } = civic;
  const leases = createReportLeases(civic.database.transactor);
  const records = publishedRecords(reads, log);
  // The deadlines of the code under test use a stopped clock.
  const progress: Progress = {
    waitFor: (name, position) => civic.progress.waitFor(name, position, Date.now() + 30_000),
  };
  const parts = (overrides: Partial<ReportWorkerDependencies> = {}) => {
    const worker: ReportWorkerDependencies = {
      log,
      clock,
      identifiers: civic.identifiers,
      leases,
      reads,
      known: records,
      progress,
      readModels: REPORT_MODEL_NAMES,
      logger: civic.logger,
      holder: `worker ${process.pid}.${++opened}`,
      dailyBudget: options.budget ?? 10_000,
      deadlineMs: 30_000,
      ...overrides,
    };
    return { worker, reactors: [createReportWorker(worker), createReportSettler(worker)] };
  };
  const mine = parts();
  return {
    ...civic,
    leases,
    known: records,
    parts,
    work: mine.worker,
    /** Takes a report in, as intake does. */
    async submit(account: string, input: ReportInput): Promise<string> {
      const accountId = derivedId('test', 'account', account);
      const reportId = civic.identifiers.next();
      const stream = accountReportsStream(accountId);
      const at = clock.now();
      const event: AccountReportEvent = {
        type: 'DataReportSubmitted',
        data: {
          reportId,
          token: reportId,
          inputHash: '0'.repeat(64),
          input,
          keyId: derivedId('test', 'key'),
          surface: 'rest',
          submittedAt: new Date(at).toISOString(),
          nextCheckAt: new Date(at + 86_400_000).toISOString(),
          statusUrl: `http://127.0.0.1/api/v1/data-reports/${reportId}`,
        },
      };
      const last = (await log.readLast([stream])).get(stream);
      const outcome = await log.append({
        stream,
        expectedRevision: last?.revision ?? -1,
        events: [
          {
            id: derivedId('test', 'submitted', reportId),
            type: event.type,
            schemaVersion: 1,
            data: JSON.stringify(event.data),
            metadata: { commandId: reportId },
            time: at,
          },
        ],
      });
      if (outcome.kind !== 'appended') throw new Error('two submissions of one account at once');
      await civic.caughtUp(outcome.position, REPORT_MODEL_NAMES);
      return reportId;
    },
    async report(reportId: string): Promise<KnownReport> {
      await civic.caughtUp(undefined, REPORT_MODEL_NAMES);
      const report = await findReport(reads, reportId);
      if (report === null) throw new Error(`there is no report ${reportId}`);
      return report;
    },
    /** A regular turn of the worker. */
    async turn(worker = mine.worker) {
      const work = await dueReports(worker, new AbortController().signal);
      await civic.caughtUp(undefined, REPORT_MODEL_NAMES);
      return work;
    },
    /** The types of a stream's events. */
    async typesOf(stream: string): Promise<readonly string[]> {
      return (await log.readStream(stream, -1, 1000)).map(({ type }) => type);
    },
  };
}
