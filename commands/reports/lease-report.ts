import type { ReportLease } from '../../domain/ports/report-leases.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { Rejection } from '../../domain/rejections.ts';
import { readSwitches } from '../../domain/report-switches.ts';
import { isClosedStatus } from '../../domain/report-transitions.ts';
import { reportStream } from '../../domain/streams.ts';
import { foldStream } from '../fold-stream.ts';
import { reportDecider, type ReportState } from './report-decider.ts';
import { recordLease, type ReportWork } from './work-on-report.ts';

export interface LeaseRequest {
  readonly reportId: string;
  readonly accountId: string;
  readonly holder: string;
  readonly leaseMs: number;
  /** Investigations that may begin in a day (UTC), of all holders. */
  readonly dailyBudget: number;
  /** A person may work on a report by hand while the worker is paused; nothing else may. */
  readonly whilePaused: boolean;
  /** The revision at which the report was read by a holder who has decided already: one that has moved since is not leased. */
  readonly seenRevision?: number | undefined;
}

export interface LeasedReport {
  readonly lease: ReportLease;
  /** The report as it was when the lease was recorded: what a move is decided on. */
  readonly state: ReportState;
}

const DAY_MS = 86_400_000;
/** A lease cannot be given back by hand, so a holder who is gone must not keep a report for good; and its end must be a time. */
export const MAX_LEASE_MS = 30 * DAY_MS;

/** A report's state from its own stream. */
export const readReportState = async (log: EventLog, reportId: string): Promise<ReportState> =>
  (await foldStream({ log }, reportDecider, reportStream(reportId))).state;

/**
 * Takes the lease of a report that was taken in, or renews it for its holder. Refuses with `invalid_input` (longer than thirty days, or no
 * whole milliseconds), `invalid_transition` (closed), `worker_paused`,
 * `state_conflict`, `lease_conflict` (another has it) or `budget_exhausted`; throws what the log and the database throw, and then nothing is leased for long.
 */
export async function leaseReport(work: ReportWork, request: LeaseRequest): Promise<LeasedReport | Rejection> {
  const { reportId, accountId, holder, leaseMs, dailyBudget } = request;
  if (!Number.isSafeInteger(leaseMs) || leaseMs < 1 || leaseMs > MAX_LEASE_MS) {
    return new Rejection('invalid_input', `a lease is for thirty days at most, in whole milliseconds; ${leaseMs} is not`);
  }
  if (!request.whilePaused && (await readSwitches(work.log)).worker.paused) {
    return new Rejection('worker_paused', 'work on reports is paused');
  }
  const before = await readReportState(work.log, reportId);
  if (isClosedStatus(before.status)) return new Rejection('invalid_transition', `the report is closed as ${before.status}`);
  if (request.seenRevision !== undefined && before.movedRevision > request.seenRevision) {
    return new Rejection('state_conflict', `the report has moved to ${before.status} since it was read`);
  }
  const now = work.clock.now();
  const taken = await work.leases.take({ reportId, holder, now, leaseMs, above: before.fencingToken, budget: dailyBudget });
  if (taken.kind === 'exhausted') return new Rejection('budget_exhausted', `the ${dailyBudget} investigations of the day are used up`);
  const { lease } = taken;
  if (taken.kind === 'held') {
    const until = new Date(lease.leaseUntil).toISOString();
    return new Rejection('lease_conflict', `${lease.holder} holds the report until ${until}`);
  }
  const recorded = await recordLease(work, accountId, lease);
  if (recorded.kind === 'rejected') {
    await work.leases.release(lease);
    return recorded.rejection;
  }
  return { lease, state: await readReportState(work.log, reportId) };
}
