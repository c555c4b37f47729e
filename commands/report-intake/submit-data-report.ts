import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/domain/canonical-json.ts';
import type { AccountReportEvent, ReportInput } from '../../src/domain/events/report-events.ts';
import type { Identifiers } from '../../src/domain/identifiers.ts';
import type { Clock } from '../../src/domain/ports/clock.ts';
import { DeadlineExceeded } from '../../src/domain/ports/database.ts';
import type { WindowCounts } from '../../src/domain/ports/window-counts.ts';
import { Rejection } from '../../src/domain/rejections.ts';
import { FIRST_CHECK_MS, SUBMISSIONS_A_MINUTE } from '../../src/domain/report-limits.ts';
import { sourceUrlRefusal } from '../../src/domain/source-url.ts';
import { accountReportsStream } from '../../src/domain/streams.ts';
import type { FoldParts } from '../fold-stream.ts';
import { handle } from '../handle.ts';
import { createTurns } from '../turns.ts';
import type { IntakeCommand, PresentedToken } from './intake-commands.ts';
import { intakeDecider, replayed } from './intake-decider.ts';
import type { IntakeState, Receipt } from './intake-state.ts';
import type { ReportPlaces } from './report-places.ts';

export interface SubmitDataReportParts extends FoldParts {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly windows: WindowCounts;
  readonly places: ReportPlaces;
  /** Why nobody's reports are taken in at this time, or null. */
  readonly closed: (now: number) => Promise<Rejection | null>;
  /** Resolves true once the report can be read, false at the deadline (clock milliseconds). */
  readonly readable: (reportId: string, deadline: number) => Promise<boolean>;
  readonly deadlineMs: number;
}

export interface SubmittedReport {
  readonly accountId: string;
  readonly keyId: string;
  readonly surface: 'rest' | 'mcp';
  readonly token: string;
  readonly input: ReportInput;
  readonly requestId: string;
  readonly baseUrl: string;
}

/**
 * Takes in a report of what is missing, once for each token of an account. The order of the checks is the one of this function:
 *
 * 1. the input: text that cannot be stored, or an address that no public record has (`invalid_input`);
 * 2. a token that stands for this input gives its first receipt, whatever else holds, unless it is presented in one way too many;
 * 3. the submissions of the minute, which count everything from here on (`submit_rate_limited`);
 * 4. intake that is closed for everybody (`intake_paused`, `budget_exhausted`);
 * 5. on the account's stream: a token of another input (`replay_conflict`), then the day and the unresolved reports (`report_limit_reached`);
 * 6. the places for open reports of all accounts (`queue_unavailable`).
 *
 * Throws `DeadlineExceeded` where the report stands but cannot be read yet, and whatever the stores throw.
 */
export const createSubmitDataReport = (parts: SubmitDataReportParts) => {
  const inTurn = createTurns();
  return (submitted: SubmittedReport): Promise<Receipt & { readonly status: 'received' }> => {
    requireStorable(submitted.input);
    // Two at once with one token, in this process: the second finds what the first has made, and counts towards nothing.
    return inTurn(`${submitted.accountId} ${submitted.token}`, async () => {
      const deadline = parts.clock.now() + parts.deadlineMs;
      const receipt = await take(parts, submitted, deadline);
      if (!(await parts.readable(receipt.reportId, deadline))) throw new DeadlineExceeded('the report was taken in but cannot be read yet');
      // A place that was not counted now is found when there is no room.
      await parts.places.count(receipt.reportId).catch(() => undefined);
      return { ...receipt, status: 'received' };
    });
  };
};

const requireStorable = (input: ReportInput): void => {
  if (!isStorable(input)) throw new Rejection('invalid_input', 'the text holds U+0000 or half a character');
  const refusal = sourceUrlRefusal(input.sourceUrl);
  if (refusal !== null) throw new Rejection('invalid_input', `sourceUrl: ${refusal}`);
};

const isStorable = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable);
};

const take = async (parts: SubmitDataReportParts, submitted: SubmittedReport, deadline: number): Promise<Receipt> => {
  const { accountId, keyId, requestId, token, surface, input, baseUrl } = submitted;
  const inputHash = createHash('sha256').update(canonicalJson(input)).digest('hex');
  const presented: PresentedToken = { token, inputHash, keyId, surface };
  const run = (command: IntakeCommand) => decideOn(parts, command, { accountId, keyId, requestId, deadline });

  const present = async () => {
    const state = await run({ type: 'PresentToken', ...presented });
    return { state, receipt: replayed(state, presented)?.receipt };
  };
  const known = await present();
  if (known.receipt !== undefined) return known.receipt;

  const now = parts.clock.now();
  const taken = await parts.windows.take(accountId, [SUBMISSIONS_A_MINUTE], 1, now);
  if (taken.kind === 'exhausted') {
    // The twin of this submission may have taken the last room in another process.
    const { receipt } = await present();
    if (receipt !== undefined) return receipt;
    const { retryAfterSeconds } = taken;
    throw new Rejection('submit_rate_limited', `more than ${SUBMISSIONS_A_MINUTE.limit} submissions in this minute`, { retryAfterSeconds });
  }
  const closed = await parts.closed(now);
  if (closed !== null) throw closed;

  const reportId = parts.identifiers.next();
  const times = { submittedAt: new Date(now).toISOString(), nextCheckAt: new Date(now + FIRST_CHECK_MS).toISOString() };
  const statusUrl = `${baseUrl}/api/v1/data-reports/${reportId}`;
  const command: IntakeCommand = { type: 'SubmitReport', ...presented, reportId, input, ...times, statusUrl };
  const foreseen = intakeDecider.decide(command, known.state);
  if (foreseen instanceof Rejection) throw foreseen;
  if (!(await parts.places.take(reportId, deadline))) throw new Rejection('queue_unavailable', 'too many reports of all accounts are open');
  const receipt = await submit(run, command, presented).catch(async (error: unknown) => {
    // What was refused was not stored; after anything else that is not known, and the place is kept until it is.
    if (error instanceof Rejection) await giveBack(parts, reportId);
    throw error;
  });
  if (receipt.reportId !== reportId) await giveBack(parts, reportId);
  return receipt;
};

/** A place that could not be given back is freed once there is no room. */
const giveBack = ({ places }: SubmitDataReportParts, reportId: string): Promise<void> => places.giveBack(reportId).catch(() => undefined);

const submit = async (
  run: (command: IntakeCommand) => Promise<IntakeState>,
  command: IntakeCommand,
  presented: PresentedToken,
): Promise<Receipt> => {
  const kept = replayed(await run(command), presented);
  if (kept === undefined) throw new Error('a submission was neither refused nor stored');
  return kept.receipt;
};

/** Decides on the account's stream and tells the state that it has come to. Throws the rejection where the command is refused. */
const decideOn = async (
  parts: SubmitDataReportParts,
  command: IntakeCommand,
  { accountId, deadline, ...context }: { accountId: string; keyId: string; requestId: string; deadline: number },
): Promise<IntakeState> => {
  let state = intakeDecider.initialState();
  let events: readonly AccountReportEvent[] = [];
  const decider = {
    ...intakeDecider,
    decide: (asked: IntakeCommand, current: IntakeState) => {
      const decision = intakeDecider.decide(asked, current);
      state = current;
      events = decision instanceof Rejection ? [] : decision;
      return decision;
    },
  };
  const { log, checkpoints, clock } = parts;
  const stream = accountReportsStream(accountId);
  const commandId = parts.identifiers.next();
  const handled = await handle({
    log,
    checkpoints,
    clock,
    decider,
    stream,
    command,
    commandId,
    context: { accountId, ...context },
    deadline,
  });
  if (handled.kind === 'rejected') throw handled.rejection;
  return events.reduce(intakeDecider.evolve, state);
};
