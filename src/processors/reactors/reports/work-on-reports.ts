import { leaseReport } from '../../../../commands/reports/lease-report.ts';
import { moveReport, noteReport, type ReportWork } from '../../../../commands/reports/work-on-report.ts';
import { type KnownReport, knownReports, type ReportFilter } from '../../../../queries/reports/known-reports.ts';
import type { Logger } from '../../../../domain/ports/logger.ts';
import { DatabaseUnavailable } from '../../../../domain/ports/database.ts';
import { LogUnavailable, OutcomeUnknown, type Position } from '../../../../domain/ports/event-log.ts';
import { Rejection, type RejectionCode } from '../../../../domain/rejections.ts';
import { readSwitches } from '../../../../domain/report-switches.ts';
import { type FactsDependencies, gatherFacts } from './gather-facts.ts';
import { type CoverageArea, type CoverageAreaDependencies, readCoverageArea } from './coverage-area.ts';
import { type Verdict, verdictOn } from './verdict.ts';

export interface WorkerDependencies extends FactsDependencies, CoverageAreaDependencies {
  readonly work: ReportWork;
  readonly logger: Logger;
  /** Names this process among all workers. */
  readonly holder: string;
  readonly dailyBudget: number;
}

/** The result of a run, by report. */
export interface WorkDone {
  readonly looked: number;
  readonly moved: readonly { readonly reportId: string; readonly to: string }[];
  readonly noted: readonly string[];
  /** Skipped: another process has it, or it moved meanwhile. A later run includes them. */
  readonly left: readonly { readonly reportId: string; readonly code: RejectionCode }[];
  /** Failed, with the error; other reports were still processed. A later run includes them. */
  readonly failed: readonly { readonly reportId: string; readonly reason: string }[];
  /** Why the run ended early, such as an unavailable store. */
  readonly stopped: Extract<RejectionCode, 'worker_paused' | 'budget_exhausted'> | null;
  /** Of the last event written. */
  readonly position: Position | null;
}

const LEASE_MS = 60_000;
const MAX_REPORTS_AT_ONCE = 2000;

interface Doing {
  looked: number;
  readonly moved: { reportId: string; to: string }[];
  readonly noted: string[];
  readonly left: { reportId: string; code: RejectionCode }[];
  readonly failed: { reportId: string; reason: string }[];
  position: Position | null;
}

/** What is away for everybody is no failure of one report. */
const isAway = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || error instanceof LogUnavailable || error instanceof OutcomeUnknown;

/** Looks at the reports that the filter names (two thousand at most), as far as the switch and the day's budget let it; each under a lease of its own. */
export async function workOnReports(deps: WorkerDependencies, filter: ReportFilter, signal: AbortSignal): Promise<WorkDone> {
  const done: Doing = { looked: 0, moved: [], noted: [], left: [], failed: [], position: null };
  if ((await readSwitches(deps.log)).worker.paused) return { ...done, stopped: 'worker_paused' };
  let area: CoverageArea | undefined;
  for (const report of await knownReports(deps.reads, filter, MAX_REPORTS_AT_ONCE)) {
    signal.throwIfAborted();
    area ??= await readCoverageArea(deps);
    try {
      const stopped = await lookAt(deps, area, report, done);
      if (stopped !== null) return { ...done, stopped };
    } catch (error) {
      if (isAway(error) || signal.aborted) throw error;
      const { reportId } = report;
      const reason = (error as Error).message;
      done.failed.push({ reportId, reason });
      deps.logger.error({ reportId, reason }, 'a report could not be worked on');
    }
  }
  return { ...done, stopped: null };
}

/** Adds to the result; returns why the run must end, or null. */
async function lookAt(deps: WorkerDependencies, area: CoverageArea, report: KnownReport, done: Doing): Promise<WorkDone['stopped']> {
  const { reportId } = report;
  done.looked += 1;
  const verdict = verdictOn(await gatherFacts(deps, area, report));
  if (verdict === null) return null;
  const outcome = await carryOut(deps, report, verdict);
  if (outcome instanceof Rejection) {
    const { code } = outcome;
    if (code === 'worker_paused' || code === 'budget_exhausted') return code;
    done.left.push({ reportId, code });
    return null;
  }
  done.position = outcome;
  const last = verdict.moves.at(-1);
  if (last === undefined) done.noted.push(reportId);
  else done.moved.push({ reportId, to: last.to });
  deps.logger.info({ reportId, to: last?.to ?? report.status }, 'a report was looked at');
  return null;
}

/** Under a lease, and only if the report has not moved since the facts were gathered. */
async function carryOut(
  { work, holder, dailyBudget }: WorkerDependencies,
  report: KnownReport,
  { moves, note, nextCheckAt }: Verdict,
): Promise<Position | Rejection> {
  const { reportId, accountId, revision: seenRevision } = report;
  const leased = await leaseReport(work, {
    reportId,
    accountId,
    holder,
    leaseMs: LEASE_MS,
    dailyBudget,
    whilePaused: false,
    seenRevision,
  });
  if (leased instanceof Rejection) return leased;
  const [first, ...others] = moves;
  const handled =
    first === undefined
      ? await noteReport(work, leased.lease, { note: note ?? 'Looked at again; nothing is new.', nextCheckAt })
      : await moveReport(work, leased.lease, seenRevision, { moves: [first, ...others], note });
  await work.leases.release(leased.lease);
  if (handled.kind === 'rejected') return handled.rejection;
  if (handled.position === null) throw new Error(`nothing was written of the report ${reportId}`);
  return handled.position;
}
