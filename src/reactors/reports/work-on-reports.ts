import { leaseReport } from '../../../commands/reports/lease-report.ts';
import { moveReport, noteReport, type ReportWork } from '../../../commands/reports/work-on-report.ts';
import { type KnownReport, knownReports, type ReportFilter } from '../../../queries/known-reports.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { Rejection, type RejectionCode } from '../../domain/rejections.ts';
import { readSwitches } from '../../domain/report-switches.ts';
import { type FactsDependencies, gatherFacts } from './gather-facts.ts';
import { type Places, type PlacesDependencies, readPlaces } from './places.ts';
import { type Verdict, verdictOn } from './verdict.ts';

export interface WorkerDependencies extends FactsDependencies, PlacesDependencies {
  readonly work: ReportWork;
  readonly logger: Logger;
  /** Names this process among all workers. */
  readonly holder: string;
  readonly dailyBudget: number;
}

/** What a turn came to, by report. */
export interface WorkDone {
  readonly looked: number;
  readonly moved: readonly { readonly reportId: string; readonly to: string }[];
  readonly noted: readonly string[];
  /** Left alone: another has it, or it moved meanwhile. They come again. */
  readonly left: readonly { readonly reportId: string; readonly code: RejectionCode }[];
  /** Why the turn ended early: nothing else is worked on until that passes. */
  readonly stopped: Extract<RejectionCode, 'worker_paused' | 'budget_exhausted'> | null;
  /** Of the last event written. */
  readonly position: Position | null;
}

const LEASE_MS = 60_000;
const MOST_IN_A_TURN = 2000;

/** Looks at the reports that the filter names (two thousand at most), as far as the switch and the day's budget let it; each under a lease of its own. */
export const workOnReports = async (deps: WorkerDependencies, filter: ReportFilter, signal: AbortSignal): Promise<WorkDone> => {
  const done = {
    looked: 0,
    moved: [] as { reportId: string; to: string }[],
    noted: [] as string[],
    left: [] as WorkDone['left'][number][],
  };
  let position: Position | null = null;
  const end = (stopped: WorkDone['stopped']): WorkDone => ({ ...done, stopped, position });
  if ((await readSwitches(deps.log)).worker.paused) return end('worker_paused');
  let places: Places | undefined;
  const reports = await knownReports(deps.reads, filter, MOST_IN_A_TURN);
  for (const report of reports) {
    signal.throwIfAborted();
    done.looked += 1;
    const verdict = verdictOn(await gatherFacts(deps, (places ??= await readPlaces(deps)), report));
    if (verdict === null) continue;
    const outcome = await carryOut(deps, report, verdict);
    if (outcome instanceof Rejection) {
      const { code } = outcome;
      if (code === 'worker_paused' || code === 'budget_exhausted') return end(code);
      done.left.push({ reportId: report.reportId, code });
      continue;
    }
    position = outcome;
    const last = verdict.moves.at(-1);
    if (last === undefined) done.noted.push(report.reportId);
    else done.moved.push({ reportId: report.reportId, to: last.to });
    deps.logger.info({ reportId: report.reportId, to: last?.to ?? report.status }, 'a report was looked at');
  }
  return end(null);
};

/** Under a lease, and on the report as it was when the facts were gathered: whoever moved it meanwhile knew better. */
const carryOut = async (
  { work, holder, dailyBudget }: WorkerDependencies,
  report: KnownReport,
  { moves, note, nextCheckAt }: Verdict,
): Promise<Position | Rejection> => {
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
};
