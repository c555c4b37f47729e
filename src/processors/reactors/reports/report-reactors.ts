import type { FoldParts } from '../../../../commands/fold-stream.ts';
import type { ReportWork } from '../../../../commands/reports/work-on-report.ts';
import { countOpenReports } from '../../../../queries/reports/count-open-reports.ts';
import { currentIds } from '../../../../queries/feed/current-ids.ts';
import type { Identifiers } from '../../../../domain/identifiers.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { PublishedRecords } from '../../../../domain/ports/published-records.ts';
import type { Logger } from '../../../../domain/ports/logger.ts';
import type { LiveReads, Progress } from '../../../../domain/ports/projection.ts';
import type { Reactor } from '../../../../domain/ports/reactors.ts';
import type { ReportLeases } from '../../../../domain/ports/report-leases.ts';
import { createReportSettler } from './report-settler.ts';
import { createReportWorker, type ReportWorkerDependencies } from './report-worker.ts';

export interface ReportPartsDependencies extends FoldParts {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly leases: ReportLeases;
  readonly reads: LiveReads;
  readonly known: PublishedRecords;
  readonly progress: Progress;
  /** Read models that the worker reads. */
  readonly readModels: readonly string[];
  readonly logger: Logger;
  readonly holder: string;
  readonly dailyBudget: number;
}

export interface ReportParts {
  readonly work: ReportWork;
  readonly worker: ReportWorkerDependencies;
  readonly reactors: readonly Reactor[];
}

const DEADLINE_MS = 30_000;

/** Work on reports: by operators, by the worker, and the settlement with accounts. */
export function createReportParts(deps: ReportPartsDependencies): ReportParts {
  const { log, clock, identifiers, leases, reads } = deps;
  const work: ReportWork = { log, clock, identifiers, leases, deadlineMs: DEADLINE_MS };
  const worker: ReportWorkerDependencies = {
    ...deps,
    work,
    currentIds: (resource) => currentIds(reads, resource),
    openReports: () => countOpenReports(reads),
  };
  return { work, worker, reactors: [createReportWorker(worker), createReportSettler(deps)] };
}
