import { DAY_MS } from '../../domain/durations.ts';
import { readReportEvent, type ReportEvent, type verifiedRecord } from '../../domain/events/report-events.ts';
import { Rejection } from '../../domain/rejections.ts';
import {
  isClosedStatus,
  needsVerifiedRecord,
  REPORT_TRANSITIONS,
  type ReportReason,
  type ReportStatus,
} from '../../domain/reports.ts';
import type { Decider } from '../decider.ts';
import type { z } from 'zod';
import type { Handled } from '../handle.ts';

export interface ReportState {
  readonly status: ReportStatus;
  /** Null until the first lease. */
  readonly accountId: string | null;
  /** Owner and token of the newest lease; a move with another token is refused. */
  readonly holder: string | null;
  readonly fencingToken: number;
  /** Revision of the last event; -1 before the first. */
  readonly revision: number;
  /** Revision of the last move; -1 before the first. */
  readonly movedRevision: number;
}

const MAX_RECORDS = 20;

const refuseWithoutLease = (state: ReportState, { holder, fencingToken }: ByHolder): Rejection | null =>
  state.holder === holder && state.fencingToken === fencingToken
    ? null
    : new Rejection('lease_conflict', 'the report is moved by the holder of its current lease only');

type MoveReport = Extract<ReportCommand, { type: 'MoveReport' }>;

/** Returns why a report cannot make a move, or null if it can. */
function refuseMove(from: ReportStatus, { to, finding, verifiedRecords }: ReportMove): Rejection | null {
  if (!REPORT_TRANSITIONS[from].includes(to)) {
    const allowed = REPORT_TRANSITIONS[from].join(', ') || 'nothing, because it is closed';
    return new Rejection('invalid_transition', `a report moves from ${from} to ${allowed}`);
  }
  if (isClosedStatus(to) && (finding ?? '').trim() === '')
    return new Rejection('resolution_incomplete', `${to} needs a finding`);
  if (needsVerifiedRecord(to) && verifiedRecords.length === 0) {
    return new Rejection('resolution_incomplete', `${to} needs at least one verified record`);
  }
  return verifiedRecords.length > MAX_RECORDS
    ? new Rejection('invalid_input', `at most ${MAX_RECORDS} verified records`)
    : null;
}

function decideMove(command: MoveReport, state: ReportState): readonly ReportEvent[] | Rejection {
  const { holder, fencingToken, movedAt, note } = command;
  const unleased = refuseWithoutLease(state, command);
  if (unleased !== null) return unleased;
  if (state.movedRevision > command.seenRevision) {
    return new Rejection('state_conflict', `the report has moved to ${state.status} since it was read`);
  }
  const events: ReportEvent[] = [];
  if (note !== null)
    events.push({ type: 'DataReportNoted', data: { note, notedAt: movedAt, nextCheckAt: null, holder, fencingToken } });
  const tomorrow = new Date(Date.parse(movedAt) + DAY_MS).toISOString();
  let from = state.status;
  for (const move of command.moves) {
    const refused = refuseMove(from, move);
    if (refused !== null) return refused;
    const nextCheckAt = isClosedStatus(move.to) ? null : (move.nextCheckAt ?? tomorrow);
    const details = { ...move, verifiedRecords: [...move.verifiedRecords], nextCheckAt, movedAt, holder, fencingToken };
    events.push({ type: 'DataReportMoved', data: { accountId: state.accountId!, from, ...details } });
    from = move.to;
  }
  return events;
}

function decideLease(
  command: Extract<ReportCommand, { type: 'RecordLease' }>,
  state: ReportState,
): readonly ReportEvent[] | Rejection {
  const { type: _, ...data } = command;
  if (isClosedStatus(state.status))
    return new Rejection('invalid_transition', `the report is closed as ${state.status}`);
  if (refuseWithoutLease(state, command) === null) return [];
  return command.fencingToken > state.fencingToken
    ? [{ type: 'DataReportLeased', data }]
    : new Rejection('lease_conflict', 'the lease of the report has been taken over');
}

function decide(command: ReportCommand, state: ReportState): readonly ReportEvent[] | Rejection {
  switch (command.type) {
    case 'RecordLease':
      return decideLease(command, state);
    case 'MoveReport':
      return decideMove(command, state);
    case 'NoteReport': {
      const { type: _, ...data } = command;
      if (isClosedStatus(state.status))
        return new Rejection('invalid_transition', `the report is closed as ${state.status}`);
      return refuseWithoutLease(state, command) ?? [{ type: 'DataReportNoted', data }];
    }
  }
}

function evolve(before: ReportState, event: ReportEvent): ReportState {
  const state = { ...before, revision: before.revision + 1 };
  switch (event.type) {
    case 'DataReportLeased': {
      const { accountId, holder, fencingToken } = event.data;
      return { ...state, accountId, holder, fencingToken };
    }
    case 'DataReportMoved':
      return { ...state, status: event.data.to, movedRevision: state.revision };
    case 'DataReportNoted':
      return state;
  }
}

/** The lifecycle of a report on `report-<id>`. Every move requires a lease. */
export const reportDecider = {
  initialState: (): ReportState => {
    return { status: 'received', accountId: null, holder: null, fencingToken: 0, revision: -1, movedRevision: -1 };
  },
  decide,
  evolve,
  read: readReportEvent,
  schemaVersion: 1,
} satisfies Decider<ReportState, ReportCommand, ReportEvent>;

export type VerifiedRecord = z.output<typeof verifiedRecord>;

/** The worker: the lease holder and the lease's token. */
interface ByHolder {
  readonly holder: string;
  readonly fencingToken: number;
}

export interface ReportMove {
  readonly to: ReportStatus;
  readonly reasonCode: ReportReason | null;
  readonly finding: string | null;
  readonly nextAction: string | null;
  readonly verifiedRecords: readonly VerifiedRecord[];
  /** Time of the next check, for the customer; if null, a day after the move. A closed report has none. */
  readonly nextCheckAt: string | null;
}

/** The commands of a report's lifecycle. Times are ISO 8601 in UTC with milliseconds. */
export type ReportCommand =
  | ({
      readonly type: 'RecordLease';
      readonly accountId: string;
      readonly leasedAt: string;
      readonly leaseUntil: string;
    } & ByHolder)
  | ({
      readonly type: 'MoveReport';
      /** Revision of the report when the move was decided. */
      readonly seenRevision: number;
      /** One or more moves, each from the status before it. All of them happen, or none. */
      readonly moves: readonly ReportMove[];
      /** Findings for investigators. */
      readonly note: string | null;
      readonly movedAt: string;
    } & ByHolder)
  | ({
      readonly type: 'NoteReport';
      readonly note: string;
      readonly notedAt: string;
      readonly nextCheckAt: string | null;
    } & ByHolder);

/**
 * Converts the first validation issue to an `invalid_input` rejection. Invalid data must never be stored: the event
 * could not be read again.
 */
export function rejectInvalid({ issues }: z.ZodError): Handled {
  const { path, message } = issues[0]!;
  return {
    kind: 'rejected',
    rejection: new Rejection('invalid_input', `${path.at(-1)?.toString() ?? 'move'}: ${message}`),
  };
}
