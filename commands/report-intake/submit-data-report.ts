import { createHash } from 'node:crypto';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { AccountReportEvent, ReportInput } from '../../domain/events/report-events.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import type { ClaimedToken, ReportClaims, ReportLeases } from '../../domain/ports/report-stores.ts';
import type { WindowCounts } from '../../domain/ports/counts.ts';
import { Rejection } from '../../domain/rejections.ts';
import { FIRST_CHECK_MS, SUBMISSIONS_A_MINUTE } from '../../domain/reports.ts';
import { accountReportsStream } from '../../domain/streams.ts';
import { beginFold, type Folded, foldOn } from '../fold-stream.ts';
import { createKeyedMutex } from '../keyed-mutex.ts';
import { type CommandPorts, handle } from '../handle.ts';
import { aliasOf, type IntakeCommand, type IntakeState, type PresentedToken, type Receipt, tokenKey } from './intake-state.ts';
import { intakeDecider, replayed } from './intake-decider.ts';
import type { OpenReportLimit } from './open-report-limit.ts';
import { sourceUrlRefusal } from '../../domain/source-url.ts';
import { notStorable } from '../../domain/key-secret.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { readSwitches } from '../../domain/report-switches.ts';

/** Refuses (`invalid_input`) text that cannot be stored and addresses that no public record has. */
function requireStorable(token: string, input: ReportInput): void {
  for (const text of textsIn([token, input])) {
    const reason = notStorable(text);
    if (reason !== null) throw new Rejection('invalid_input', reason);
  }
  const refusal = sourceUrlRefusal(input.sourceUrl);
  if (refusal !== null) throw new Rejection('invalid_input', `sourceUrl: ${refusal}`);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

interface SubmitDataReportParts extends CommandPorts {
  readonly windows: WindowCounts;
  readonly claims: ReportClaims;
  readonly places: OpenReportLimit;
  /** Why intake is closed now, or null. */
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
 * 1. token and input: text that cannot be stored or holds an API key, or an address that no public record has (`invalid_input`);
 * 2. a token that stands for this input gives its first receipt, whatever else holds, unless it is presented in one way too many;
 * 3. the submissions of the minute, which count everything from here on (`submit_rate_limited`);
 * 4. intake that is closed for everybody (`intake_paused`, `budget_exhausted`);
 * 5. on the account's stream: a token of another input (`replay_conflict`), then the day and the unresolved reports (`report_limit_reached`);
 * 6. the places for open reports of all accounts (`queue_unavailable`).
 *
 * Throws `DeadlineExceeded` where the report stands but cannot be read yet, and whatever the stores throw.
 */
export function createSubmitDataReport(parts: SubmitDataReportParts) {
  const withMutex = createKeyedMutex();
  return async (submitted: SubmittedReport): Promise<Receipt & { readonly status: 'received' }> => {
    requireStorable(submitted.token, submitted.input);
    const deadline = parts.clock.now() + parts.deadlineMs;
    // Of two concurrent requests with one token the second finds the report of the first and is not counted. Claims do the same across processes.
    const { receipt, isNew } = await withMutex(`${submitted.accountId} ${submitted.token}`, () => take(parts, submitted, deadline));
    if (!(await parts.readable(receipt.reportId, deadline))) throw new DeadlineExceeded('the report was taken in but cannot be read yet');
    // A place that was not counted now is found when there is no room.
    if (isNew) await parts.places.count(receipt.reportId).catch(() => undefined);
    return { ...receipt, status: 'received' };
  };
}

interface Taken {
  readonly receipt: Receipt;
  /** Whether this submission has made the report. */
  readonly isNew: boolean;
}

async function take(parts: SubmitDataReportParts, submitted: SubmittedReport, deadline: number): Promise<Taken> {
  const { accountId, keyId, requestId, token, surface, input } = submitted;
  const inputHash = createHash('sha256').update(canonicalJson(input)).digest('hex');
  const presented: PresentedToken = { token, inputHash, keyId, surface };
  const run: Run = (command) => decideOn(parts, command, { accountId, keyId, requestId, deadline });
  const stream = accountReportsStream(accountId);
  const present = async (before?: Folded<IntakeState>) => {
    const seen = await foldOn(parts, intakeDecider, stream, before ?? (await beginFold(parts, intakeDecider, stream)));
    const kept = replayed(seen.state, presented);
    if (kept === undefined) return { seen };
    if (!kept.aliases.includes(aliasOf(presented))) await run({ type: 'PresentToken', ...presented });
    return { seen, receipt: kept.receipt };
  };
  const { seen, receipt } = await present();
  if (receipt !== undefined) return { receipt, isNew: false };
  const claim = { accountId, tokenKey: tokenKey(token), by: parts.identifiers.next() };
  return claimed(parts, claim, deadline, async () => {
    // The former holder of the claim has made the report, or was refused.
    const now = await present(seen);
    if (now.receipt !== undefined) return { receipt: now.receipt, isNew: false };
    return makeReport({ parts, submitted, presented, run, state: now.seen.state, deadline });
  });
}

type Run = (command: IntakeCommand) => Promise<IntakeState>;

/** As long as a claim lasts when its holder dies; one that is slower loses it, and the twin of its submission counts as one more. */
const CLAIM_MS = 3_000;
const PAUSE_MS = 15;

async function claimed<Result>(
  parts: SubmitDataReportParts,
  token: ClaimedToken,
  deadline: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const { claims, clock } = parts;
  while (!(await claims.claim(token, clock.now() + CLAIM_MS, clock.now()))) {
    if (clock.now() >= deadline) throw new DeadlineExceeded('another submission of this token was not done by the deadline');
    await clock.sleep(PAUSE_MS);
  }
  try {
    return await work();
  } finally {
    await claims.release(token).catch(() => undefined);
  }
}

interface Making {
  readonly parts: SubmitDataReportParts;
  readonly submitted: SubmittedReport;
  readonly presented: PresentedToken;
  readonly run: Run;
  /** A state in which the token has no report of this input. */
  readonly state: IntakeState;
  readonly deadline: number;
}

async function makeReport({ parts, submitted, presented, run, state, deadline }: Making): Promise<Taken> {
  const now = parts.clock.now();
  await requireRoomInMinute(parts, submitted.accountId, now);
  const closed = await parts.closed(now);
  if (closed !== null) throw closed;

  const reportId = parts.identifiers.next();
  const times = { submittedAt: new Date(now).toISOString(), nextCheckAt: new Date(now + FIRST_CHECK_MS).toISOString() };
  const statusUrl = `${submitted.baseUrl}/api/v1/data-reports/${reportId}`;
  const command: IntakeCommand = { type: 'SubmitReport', ...presented, reportId, input: submitted.input, ...times, statusUrl };
  const foreseen = intakeDecider.decide(command, state);
  if (foreseen instanceof Rejection) throw foreseen;
  if (!(await parts.places.take(reportId, deadline))) throw new Rejection('queue_unavailable', 'too many reports of all accounts are open');
  const receipt = await submit(run, command, presented).catch(async (error: unknown) => {
    // A refused report was not stored; after any other error that is unknown, and the reservation stays.
    if (error instanceof Rejection) await giveBack(parts, reportId);
    throw error;
  });
  const isNew = receipt.reportId === reportId;
  if (!isNew) await giveBack(parts, reportId);
  return { receipt, isNew };
}

async function requireRoomInMinute({ windows }: SubmitDataReportParts, accountId: string, now: number): Promise<void> {
  const taken = await windows.take(accountId, [SUBMISSIONS_A_MINUTE], 1, now);
  if (taken.kind === 'taken') return;
  const { retryAfterSeconds } = taken;
  throw new Rejection('submit_rate_limited', `more than ${SUBMISSIONS_A_MINUTE.limit} submissions in this minute`, { retryAfterSeconds });
}

/** A reservation that could not be released expires at the next recount. */
const giveBack = ({ places }: SubmitDataReportParts, reportId: string): Promise<void> => places.giveBack(reportId).catch(() => undefined);

async function submit(run: Run, command: IntakeCommand, presented: PresentedToken): Promise<Receipt> {
  const kept = replayed(await run(command), presented);
  if (kept === undefined) throw new Error('a submission was neither refused nor stored');
  return kept.receipt;
}

/** Decides on the account's stream and returns the resulting state. Throws the rejection where the command is refused. */
async function decideOn(
  parts: CommandPorts,
  command: IntakeCommand,
  { accountId, deadline, ...context }: { accountId: string; keyId: string; requestId: string; deadline: number },
): Promise<IntakeState> {
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
}

/** Why intake is closed now, or null: an operator has paused it, or the day's investigations are used up. */
export const createIntakeGate =
  (parts: { readonly log: Pick<EventLog, 'readLast'>; readonly leases: Pick<ReportLeases, 'begun'>; readonly dailyBudget: number }) =>
  async (now: number): Promise<Rejection | null> => {
    const [{ intake }, begun] = await Promise.all([readSwitches(parts.log), parts.leases.begun(now)]);
    if (intake.paused) return new Rejection('intake_paused', 'no reports are taken in now; try again later');
    if (begun >= parts.dailyBudget) return new Rejection('budget_exhausted', 'the investigations of the day (UTC) are used up');
    return null;
  };
