import { z } from 'zod';
import { dataReportMoved, dataReportNoted } from '../../domain/events/report-events.ts';
import type { Identifiers } from '../../domain/identifiers.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import type { ReportLease, ReportLeases } from '../../domain/ports/report-leases.ts';
import { Rejection } from '../../domain/rejections.ts';
import { isClosedStatus } from '../../domain/report-transitions.ts';
import { reportStream } from '../../domain/streams.ts';
import { handle, type Handled } from '../handle.ts';
import type { ReportCommand, ReportMove } from './report-commands.ts';
import { reportDecider } from './report-decider.ts';
import { unusable } from './unusable.ts';

export interface ReportWork {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly leases: ReportLeases;
  /** How long one command is decided again after conflicts, in milliseconds. */
  readonly deadlineMs: number;
}

/** The lease that its holder moves under, and whose report it is. */
export type WorkedReport = Pick<ReportLease, 'reportId' | 'holder' | 'token'>;

const move = dataReportMoved.pick({
  to: true,
  reasonCode: true,
  finding: true,
  nextAction: true,
  verifiedRecords: true,
  nextCheckAt: true,
});
const outcome = z.object({ moves: z.array(move).min(1), note: dataReportNoted.shape.note.nullable() });
const noted = dataReportNoted.pick({ note: true, nextCheckAt: true });

const command = (work: ReportWork, reportId: string, accountId: string | undefined, command: ReportCommand): Promise<Handled> =>
  handle({
    ...work,
    decider: reportDecider,
    stream: reportStream(reportId),
    command,
    commandId: work.identifiers.next(),
    context: accountId === undefined ? {} : { accountId },
    deadline: work.clock.now() + work.deadlineMs,
  });

/** Checked against the clock first: an expired lease is refused without a read of the log. */
async function isCurrent({ leases, clock }: ReportWork, { reportId, holder, token }: WorkedReport): Promise<boolean> {
  const current = await leases.current(reportId, clock.now());
  return current !== null && current.holder === holder && current.token === token;
}

const LOST: Handled = {
  kind: 'rejected',
  rejection: new Rejection('lease_conflict', 'the lease has run out, or another has it: take it again'),
};

/**
 * Records on the report's stream that a lease was taken: only then is it given to its holder. A mover that has lost it meanwhile decided
 * before this event, so its append conflicts, and deciding again refuses it. What is thrown is `handle`'s.
 */
export const recordLease = (work: ReportWork, accountId: string, { reportId, holder, token, leaseUntil }: ReportLease): Promise<Handled> =>
  command(work, reportId, accountId, {
    type: 'RecordLease',
    accountId,
    holder,
    fencingToken: token,
    leasedAt: new Date(work.clock.now()).toISOString(),
    leaseUntil: new Date(leaseUntil).toISOString(),
  });

/** What an investigation has come to: one move, or several in a row that happen together, and what is to be noted. */
export interface ReportOutcome {
  readonly moves: readonly [ReportMove, ...ReportMove[]];
  readonly note: string | null;
}

/**
 * Moves a report under a lease, as seen at a revision of its stream. Refuses with `lease_conflict`, `state_conflict`,
 * `invalid_transition`, `resolution_incomplete` or `invalid_input`; a closed report's lease is dropped with the move.
 */
export async function moveReport(
  work: ReportWork,
  lease: WorkedReport,
  seenRevision: number,
  { moves, note }: ReportOutcome,
): Promise<Handled> {
  const parsed = outcome.safeParse({ moves, note });
  if (!parsed.success) return unusable(parsed.error);
  if (!(await isCurrent(work, lease))) return LOST;
  const { reportId, holder, token: fencingToken } = lease;
  const movedAt = new Date(work.clock.now()).toISOString();
  const handled = await command(work, reportId, undefined, {
    type: 'MoveReport',
    ...parsed.data,
    holder,
    fencingToken,
    seenRevision,
    movedAt,
  });
  if (handled.kind === 'appended' && isClosedStatus(moves.at(-1)!.to)) await work.leases.forget(reportId);
  return handled;
}

/** Records a finding for investigators; `nextCheckAt` is shown to the customer. Refuses like a move. */
export async function noteReport(
  work: ReportWork,
  lease: WorkedReport,
  said: { readonly note: string; readonly nextCheckAt: string | null },
): Promise<Handled> {
  const parsed = noted.safeParse(said);
  if (!parsed.success) return unusable(parsed.error);
  if (!(await isCurrent(work, lease))) return LOST;
  const { reportId, holder, token: fencingToken } = lease;
  const notedAt = new Date(work.clock.now()).toISOString();
  return command(work, reportId, undefined, { type: 'NoteReport', ...parsed.data, holder, fencingToken, notedAt });
}
