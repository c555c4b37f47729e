import { createSubmitDataReport, intakeClosed } from '../../../commands/report-intake/submit-data-report.ts';
import { awaitReport, createGetDataReport } from '../../../queries/reports/get-data-report.ts';
import { openReports } from '../../../queries/reports/report-figures.ts';
import { MINUTE_MS } from '../../../domain/durations.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { WindowCounts } from '../../../domain/ports/counts.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { STATUS_READS_A_MINUTE } from '../../../domain/reports.ts';
import type { ReportFunctions } from '../../../contract/inputs.ts';
import type { PublishedRecords } from '../../../domain/ports/projection.ts';
import { resolveWithin } from '../../../plumbing/retry.ts';
import { recordHistory } from '../../../projections/record-history/projection.ts';
import { recordKeys } from '../../../projections/record-keys/projection.ts';
import { recordReferences } from '../../../projections/record-references/projection.ts';
import { reports as readModel } from '../../../projections/reports/projection.ts';
import { createReportClients } from '../../edge/admission/report-clients.ts';
import { createSampledFailures } from '../../edge/admission/sampled-failures.ts';
import { identifyCaller } from '../../edge/admission/admit.ts';
import { asData, type CustomerAnswers } from '../../edge/answers/exchange.ts';
import type { ToolFunctions } from '../../edge/mcp/run-tool.ts';
import type { Platform } from '../platform.ts';
import {
  createReportSettler,
  createReportWorker,
  dueReports,
  type ReportWorkerDependencies,
} from '../../processors/reactors/reports/report-reactors.ts';
import type { Module } from './module.ts';

/** Milliseconds after which a command on a report is no longer retried. */
const WORK_DEADLINE_MS = 30_000;

export const reportOperations = (functions: ReportFunctions) =>
  ({
    submitDataReport: async (exchange) => {
      const { baseUrl, body: input, onAllowance } = exchange;
      const token = exchange.headers['idempotency-key'];
      return asData(
        await functions.submitDataReport({
          ...identifyCaller(exchange),
          surface: 'rest',
          token,
          input,
          baseUrl,
          onAllowance,
        }),
      );
    },
    getDataReport: async ({ params, principal, onAllowance }) =>
      asData(await functions.getDataReport({ ...params, accountId: principal.accountId, onAllowance })),
  }) satisfies Partial<CustomerAnswers>;

/** The two report tools call the functions of the report operations and share their limits. */
const reportTools = (reports: ReportFunctions): Pick<ToolFunctions, 'report_missing_data' | 'get_data_report'> => ({
  report_missing_data: async (
    { idempotencyToken: token, ...input },
    { principal: { accountId, keyId }, requestId, baseUrl, onAllowance },
  ) => ({
    data: await reports.submitDataReport({
      accountId,
      keyId,
      surface: 'mcp',
      token,
      input,
      requestId,
      baseUrl,
      onAllowance,
    }),
  }),
  get_data_report: async ({ reportId }, { principal: { accountId }, onAllowance }) => ({
    data: await reports.getDataReport({ accountId, reportId, onAllowance }),
  }),
});

/** Limits the reads per minute of an account, over all its keys, REST and the tools. Reads that find nothing count as well. */
const limitReportReads =
  (read: ReportFunctions['getDataReport'], windows: WindowCounts, clock: Clock): ReportFunctions['getDataReport'] =>
  async (input) => {
    const charge = await windows.take(input.accountId, [STATUS_READS_A_MINUTE], 1, clock.now());
    const { onAllowance } = input;
    if (charge.kind === 'taken') {
      onAllowance?.(charge.states);
      return read(input);
    }
    const { retryAfterSeconds } = charge;
    onAllowance?.([{ bucket: STATUS_READS_A_MINUTE, remaining: 0, resetSeconds: retryAfterSeconds }]);
    throw new Rejection('status_rate_limited', `more than ${STATUS_READS_A_MINUTE.limit} reads in this minute`, {
      retryAfterSeconds,
    });
  };

function reportFunctions(platform: Platform): ReportFunctions {
  const { settings, log, clock, reads, progress, stores } = platform;
  const closing = { log, leases: stores.reportLeases, dailyBudget: settings.CIVIC_REPORT_DAILY_BUDGET };
  return {
    submitDataReport: createSubmitDataReport({
      ...platform,
      windows: stores.windowCounts,
      claims: stores.reportClaims,
      queue: stores.reportQueue,
      limit: settings.CIVIC_REPORT_QUEUE_LIMIT,
      caughtUp: async (deadline) => progress.waitFor(readModel.name, await log.head(), deadline),
      openReports: (reportIds) => openReports(reads, reportIds),
      closed: (now) => intakeClosed(closing, now),
      readable: (reportId, deadline) => awaitReport({ reads, clock }, reportId, deadline),
    }),
    getDataReport: limitReportReads(createGetDataReport(reads), stores.windowCounts, clock),
  };
}

export function reports(platform: Platform, published: PublishedRecords) {
  const { settings, log, checkpoints, clock, identifiers, reads, progress, logger, stores, owner, deadlineMs } =
    platform;
  const dailyBudget = settings.CIVIC_REPORT_DAILY_BUDGET;
  const parts = { log, checkpoints, clock, identifiers, reads, leases: stores.reportLeases, dailyBudget };
  const worker: ReportWorkerDependencies = {
    ...parts,
    known: published,
    progress,
    readModels: [readModel.name, recordKeys.name, recordHistory.name, recordReferences.name],
    logger,
    holder: `worker ${owner}`,
    deadlineMs: WORK_DEADLINE_MS,
  };
  const reactors = [createReportWorker(worker), createReportSettler(parts)];
  const functions = reportFunctions(platform);
  const inTime: ReportFunctions = {
    submitDataReport: (input) => resolveWithin(clock, deadlineMs, () => functions.submitDataReport(input)),
    getDataReport: (input) => resolveWithin(clock, deadlineMs, () => functions.getDataReport(input)),
  };
  return {
    operations: reportOperations(inTime),
    reportFunctions: functions,
    tools: reportTools(functions),
    reactors,
    jobs: [
      {
        work: 'workDueReports',
        what: 'working on reports',
        everyMs: MINUTE_MS,
        lease: 'due reports',
        run: (signal: AbortSignal) => dueReports(worker, signal),
      },
    ],
    reporting: { worker, reactors },
    reportClients: createReportClients({
      counts: stores.reportClients,
      limit: settings.CIVIC_REPORT_CLIENT_LIMIT,
      onFailure: createSampledFailures({ clock, logger }, 'could not look up the report limit of a client'),
    }),
  } satisfies Module & Record<'reportFunctions' | 'reporting' | 'reportClients', unknown>;
}
