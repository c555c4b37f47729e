import { z } from 'zod';
import { DAY_MS } from '../../domain/durations.ts';
import { dataReportMoved, dataReportNoted, readSwitches } from '../../domain/events/report-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import type { ReportLease, ReportLeases } from '../../domain/ports/report-stores.ts';
import { Rejection } from '../../domain/rejections.ts';
import { isClosedStatus } from '../../domain/reports.ts';
import { accountReportsStream, reportStream } from '../../domain/streams.ts';
import type { CommandContext } from '../decider.ts';
import { type CommandPorts, foldStream, handle, type Handled, type HandlerPorts } from '../handle.ts';
import {
  type ReportCommand,
  reportDecider,
  type ReportMove,
  type ReportState,
  rejectInvalid,
} from './report-decider.ts';
import { type IntakeCommand, intakeDecider } from '../report-intake/intake-decider.ts';

export interface ReportWork extends CommandPorts {
  readonly leases: ReportLeases;
  /** Milliseconds during which a command is decided again after conflicts. */
  readonly deadlineMs: number;
}

/** The lease under which its holder moves a report. */
export type WorkedReport = Pick<ReportLease, 'reportId' | 'holder' | 'token'>;

const move = dataReportMoved.omit({ accountId: true, from: true, movedAt: true, holder: true, fencingToken: true });
const outcome = z.object({ moves: z.array(move).min(1), note: dataReportNoted.shape.note.nullable() });
const noted = dataReportNoted.pick({ note: true, nextCheckAt: true });

function handleCommand(
  work: ReportWork,
  reportId: string,
  context: CommandContext,
  command: ReportCommand,
): Promise<Handled> {
  const [commandId, deadline] = [work.identifiers.next(), work.clock.now() + work.deadlineMs];
  return handle({
    ...work,
    decider: reportDecider,
    stream: reportStream(reportId),
    command,
    commandId,
    context,
    deadline,
  });
}

/**
 * Handles a command under a lease. Rejects an expired lease without reading the log. `commandOf` receives the time of
 * the command.
 */
async function handleUnderLease<Parsed>(
  work: ReportWork,
  { reportId, holder, token }: WorkedReport,
  parsed: z.ZodSafeParseResult<Parsed>,
  commandOf: (
    parsed: Parsed,
    by: { readonly holder: string; readonly fencingToken: number },
    at: string,
  ) => ReportCommand,
): Promise<Handled> {
  if (!parsed.success) return rejectInvalid(parsed.error);
  const now = work.clock.now();
  const current = await work.leases.current(reportId, now);
  if (current?.holder !== holder || current.token !== token) {
    return {
      kind: 'rejected',
      rejection: new Rejection('lease_conflict', 'the lease has expired or has another holder: take it again'),
    };
  }
  return handleCommand(
    work,
    reportId,
    {},
    commandOf(parsed.data, { holder, fencingToken: token }, new Date(now).toISOString()),
  );
}

/**
 * Records on the report's stream that a lease was taken, before its holder receives it. A former holder that decided
 * before this event gets a conflict, and its next decision is a rejection. Throws like `handle`.
 */
function recordLease(
  work: ReportWork,
  accountId: string,
  { reportId, holder, token, leaseUntil }: ReportLease,
): Promise<Handled> {
  const by = { holder, fencingToken: token };
  const times = { leasedAt: new Date(work.clock.now()).toISOString(), leaseUntil: new Date(leaseUntil).toISOString() };
  return handleCommand(work, reportId, { accountId }, { type: 'RecordLease', accountId, ...by, ...times });
}

/** Several moves, recorded together. */
interface ReportOutcome {
  readonly moves: readonly [ReportMove, ...ReportMove[]];
  readonly note: string | null;
}

/**
 * Moves a report under a lease, based on a revision of its stream. Refuses with `lease_conflict`, `state_conflict`,
 * `invalid_transition`, `resolution_incomplete` or `invalid_input`. Closing a report drops its lease.
 */
export async function moveReport(
  work: ReportWork,
  lease: WorkedReport,
  seenRevision: number,
  result: ReportOutcome,
): Promise<Handled> {
  const { moves, note } = result;
  const handled = await handleUnderLease(work, lease, outcome.safeParse({ moves, note }), (parsed, by, movedAt) => {
    return { type: 'MoveReport', ...parsed, ...by, seenRevision, movedAt };
  });
  if (handled.kind === 'appended' && isClosedStatus(moves.at(-1)!.to)) await work.leases.forget(lease.reportId);
  return handled;
}

/** Records a finding for investigators; the customer sees `nextCheckAt`. Refuses like a move. */
export const noteReport = (
  work: ReportWork,
  lease: WorkedReport,
  finding: { readonly note: string; readonly nextCheckAt: string | null },
): Promise<Handled> =>
  handleUnderLease(work, lease, noted.safeParse(finding), (parsed, by, notedAt) => ({
    type: 'NoteReport',
    ...parsed,
    ...by,
    notedAt,
  }));

interface LeaseRequest {
  readonly reportId: string;
  readonly accountId: string;
  readonly holder: string;
  readonly leaseMs: number;
  /** Maximum number of investigations begun per day (UTC), by all holders. */
  readonly dailyBudget: number;
  /** True for moves by an operator, which are allowed while the worker is paused. */
  readonly whilePaused: boolean;
  /**
   * Revision of the report on which its holder has already decided. If the report has moved since, it is not leased.
   */
  readonly seenRevision?: number | undefined;
}

/**
 * Maximum duration of a lease. Operators cannot release a lease, and a dead holder must not block a report forever. Its
 * end must be a valid time.
 */
export const MAX_LEASE_MS = 30 * DAY_MS;

export const readReportState = async (log: EventLog, reportId: string): Promise<ReportState> =>
  (await foldStream({ log }, reportDecider, reportStream(reportId))).state;

/**
 * Takes or renews the lease of a report; returns it with the state on which a move is decided. Refuses with
 * `invalid_input` (longer than thirty days, or not whole milliseconds), `invalid_transition` (closed), `worker_paused`,
 * `state_conflict`, `lease_conflict` (another holder has it) or `budget_exhausted`. Throws what the log and the
 * database throw; then nothing stays leased for long.
 */
export async function leaseReport(
  work: ReportWork,
  request: LeaseRequest,
): Promise<{ readonly lease: ReportLease; readonly state: ReportState } | Rejection> {
  const { reportId, accountId, holder, leaseMs, dailyBudget } = request;
  const state = await readReportState(work.log, reportId);
  const refusal = await refuseLease(work, request, state);
  if (refusal !== null) return refusal;
  const acquired = await work.leases.take({
    reportId,
    holder,
    now: work.clock.now(),
    leaseMs,
    above: state.fencingToken,
    budget: dailyBudget,
  });
  if (acquired.kind === 'exhausted')
    return new Rejection('budget_exhausted', `the ${dailyBudget} investigations of the day are used up`);
  const { lease } = acquired;
  if (acquired.kind === 'held') {
    return new Rejection(
      'lease_conflict',
      `${lease.holder} has leased the report until ${new Date(lease.leaseUntil).toISOString()}`,
    );
  }
  const recorded = await recordLease(work, accountId, lease);
  if (recorded.kind === 'rejected') {
    await work.leases.release(lease);
    return recorded.rejection;
  }
  return { lease, state: await readReportState(work.log, reportId) };
}

/** Returns why the report cannot be leased by anybody now; null if it can. */
async function refuseLease(
  { log }: ReportWork,
  { leaseMs, whilePaused, seenRevision }: LeaseRequest,
  { status, movedRevision }: ReportState,
): Promise<Rejection | null> {
  if (!Number.isSafeInteger(leaseMs) || leaseMs < 1 || leaseMs > MAX_LEASE_MS) {
    return new Rejection(
      'invalid_input',
      `a lease is for thirty days at most, in whole milliseconds; ${leaseMs} is not`,
    );
  }
  if (!whilePaused && (await readSwitches(log)).worker.paused) {
    return new Rejection('worker_paused', 'work on reports is paused');
  }
  if (isClosedStatus(status)) return new Rejection('invalid_transition', `the report is closed as ${status}`);
  if (seenRevision !== undefined && movedRevision > seenRevision) {
    return new Rejection('state_conflict', `the report has moved to ${status} since it was read`);
  }
  return null;
}

interface Settling {
  readonly accountId: string;
  readonly reportId: string;
  readonly closedAt: string;
  readonly commandId: string;
  /** The move that closed the report. */
  readonly causedBy: string;
}

/** Records on the account's stream, once, that its report is closed and no longer counts as open. */
export function settleReport(parts: HandlerPorts, settling: Settling, deadline: number): Promise<Handled> {
  const { accountId, reportId, closedAt, commandId, causedBy } = settling;
  const command: IntakeCommand = { type: 'SettleReport', reportId, closedAt };
  const context = { accountId, causedBy };
  return handle({
    ...parts,
    decider: intakeDecider,
    stream: accountReportsStream(accountId),
    command,
    commandId,
    context,
    deadline,
  });
}
