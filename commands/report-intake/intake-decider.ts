import { type AccountReportEvent, readAccountReportEvent } from '../../domain/events/report-events.ts';
import { Rejection } from '../../domain/rejections.ts';
import { MAX_ALIASES, MAX_NEW_REPORTS_A_DAY, MAX_UNRESOLVED_REPORTS, REPORT_LIMIT_RETRY_SECONDS } from '../../domain/reports.ts';
import type { Decider } from '../decider.ts';
import {
  aliasOf,
  EMPTY_INTAKE,
  evolveIntake,
  findToken,
  intakeCheckpoint,
  type IntakeCommand,
  type IntakeState,
  type KeptToken,
  type PresentedToken,
  tokenKey,
  utcDay,
} from './intake-state.ts';

const limitReached = (message: string): Rejection =>
  new Rejection('report_limit_reached', message, { retryAfterSeconds: REPORT_LIMIT_RETRY_SECONDS });

/** The receipt of the token for this input; undefined for an unknown token and for one of another input. */
export function replayed({ tokens }: IntakeState, { token, inputHash }: PresentedToken): KeptToken | undefined {
  const kept = findToken(tokens, tokenKey(token));
  return kept?.inputHash === inputHash ? kept : undefined;
}

function presentAgain(kept: KeptToken, { token, keyId, surface }: PresentedToken): readonly AccountReportEvent[] | Rejection {
  if (kept.aliases.includes(aliasOf({ keyId, surface }))) return [];
  if (kept.aliases.length >= MAX_ALIASES)
    return limitReached(`this token was used with ${MAX_ALIASES} combinations of key and interface, the maximum`);
  return [{ type: 'DataReportTokenAliased', data: { reportId: kept.receipt.reportId, token, keyId, surface } }];
}

function submit(command: Extract<IntakeCommand, { type: 'SubmitReport' }>, state: IntakeState): readonly AccountReportEvent[] | Rejection {
  const { type: _, ...submitted } = command;
  if (findToken(state.tokens, tokenKey(command.token)) !== undefined)
    return new Rejection('replay_conflict', 'this token was used before with another input');
  if ((state.newByDay.get(utcDay(submitted.submittedAt)) ?? 0) >= MAX_NEW_REPORTS_A_DAY) {
    return limitReached(`the account has made ${MAX_NEW_REPORTS_A_DAY} reports today (UTC)`);
  }
  if (state.unresolved.size >= MAX_UNRESOLVED_REPORTS) {
    return limitReached(`${MAX_UNRESOLVED_REPORTS} reports of the account are not resolved yet`);
  }
  return [{ type: 'DataReportSubmitted', data: submitted }];
}

function decide(command: IntakeCommand, state: IntakeState): readonly AccountReportEvent[] | Rejection {
  switch (command.type) {
    case 'PresentToken': {
      const kept = replayed(state, command);
      return kept === undefined ? [] : presentAgain(kept, command);
    }
    case 'SubmitReport': {
      const kept = replayed(state, command);
      return kept === undefined ? submit(command, state) : presentAgain(kept, command);
    }
    case 'SettleReport': {
      const { reportId, closedAt } = command;
      return state.unresolved.has(reportId) ? [{ type: 'DataReportSettled', data: { reportId, closedAt } }] : [];
    }
  }
}

/** The decider of `account_reports-<accountId>`: tokens and their aliases, the reports of a day, and the unresolved ones. */
export const intakeDecider = {
  initialState: (): IntakeState => EMPTY_INTAKE,
  decide,
  evolve: evolveIntake,
  read: readAccountReportEvent,
  checkpoint: intakeCheckpoint,
  schemaVersion: 1,
} satisfies Decider<IntakeState, IntakeCommand, AccountReportEvent>;
