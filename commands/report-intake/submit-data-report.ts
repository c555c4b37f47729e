import { createHash } from 'node:crypto';
import { type CommandPorts, handle } from '../handle.ts';
import { createKeyedMutex } from '../keyed-mutex.ts';
import {
  allowancesOf,
  type IntakeCommand,
  intakeDecider,
  type IntakeState,
  type PresentedToken,
  type Receipt,
  replayed,
  tokenKey,
} from './intake-decider.ts';
import { canonicalJson } from '../../domain/digests.ts';
import { readSwitches, type ReportInput } from '../../domain/events/report-events.ts';
import { notStorable } from '../../domain/key-secret.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { OnAllowance, WindowCounts } from '../../domain/ports/counts.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import type { ClaimedToken, ReportClaims, ReportLeases, ReportQueue } from '../../domain/ports/report-stores.ts';
import { Rejection } from '../../domain/rejections.ts';
import { FIRST_CHECK_MS, SUBMISSIONS_A_MINUTE } from '../../domain/reports.ts';
import { sourceUrlRefusal } from '../../domain/source-url.ts';
import { accountReportsStream } from '../../domain/streams.ts';

interface OpenReportLimitParts {
  readonly queue: ReportQueue;
  readonly clock: Clock;
  /** Open reports of all accounts at most. */
  readonly limit: number;
  /** Waits until the read model of reports has seen all that the log holds now; false at the deadline (clock milliseconds). */
  readonly caughtUp: (deadline: number) => Promise<boolean>;
  /** The number of open reports, and which of the given ones the read model contains. */
  readonly openReports: (reportIds: readonly string[]) => Promise<{ readonly open: number; readonly known: ReadonlySet<string> }>;
}

/** After the deadline: an append that was under way then has ended by now, whatever became of the connection. */
const GRACE_MS = 120_000;

/**
 * The limit over all accounts and processes: a function that reserves a place for a report that will be made by the deadline (clock
 * milliseconds), or never. It resolves to false where there is none, and throws `DeadlineExceeded` if that is unknown by then.
 *
 * Every open report is counted or reserved. Closings do not change the count, so it may be too high; at the limit it is corrected from the read
 * model. A place whose taker died is freed once the taker can append nothing any more and the read model, caught up since, lacks the report.
 */
function createOpenReportLimit({ queue, clock, limit, caughtUp, openReports }: OpenReportLimitParts) {
  let recountedHere = false;
  /** False where the read model has not caught up by the deadline. */
  const recount = async (deadline: number): Promise<boolean> => {
    const seen = await queue.look();
    const now = clock.now();
    if (!(await caughtUp(deadline))) return false;
    const { open, known } = await openReports([...seen.reserved.keys()]);
    const freed = [...seen.reserved].filter(([reportId, until]) => known.has(reportId) || until < now).map(([reportId]) => reportId);
    await queue.recount({ open, freed, seen });
    recountedHere = true;
    return true;
  };

  return async (reportId: string, deadline: number): Promise<boolean> => {
    const place = { reportId, until: deadline + GRACE_MS, limit };
    // The row may be older than a restore; each process recounts once.
    if (!recountedHere) await recount(deadline);
    if (await queue.reserve(place)) return true;
    if (!(await recount(deadline)))
      throw new DeadlineExceeded('whether there is room for another open report could not be determined in time');
    return queue.reserve(place);
  };
}

interface SubmitDataReportParts extends CommandPorts, OpenReportLimitParts {
  readonly windows: WindowCounts;
  readonly claims: ReportClaims;
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
  /** Receives what is left of the submissions of the minute and, where they are looked at, of the day and of unresolved reports. */
  readonly onAllowance?: OnAllowance | undefined;
}

interface Taken {
  readonly receipt: Receipt;
  /** Whether this submission has made the report. */
  readonly isNew: boolean;
}

/**
 * Takes in a report once for each token of an account. The order of the checks:
 * 1. token and input: text that cannot be stored or holds an API key, or an address that no public record has (`invalid_input`);
 * 2. a token that stands for this input gives its first receipt, whatever else holds, unless it is presented in one way too many;
 * 3. the submissions of the minute, which count everything from here on (`submit_rate_limited`);
 * 4. intake that is closed for everybody (`intake_paused`, `budget_exhausted`);
 * 5. on the account's stream: a token of another input (`replay_conflict`), then the day and the unresolved reports (`report_limit_reached`);
 * 6. the places for open reports of all accounts (`queue_unavailable`).
 * Throws `DeadlineExceeded` where the report stands but cannot be read yet, and whatever the stores throw.
 */
export function createSubmitDataReport(parts: SubmitDataReportParts) {
  const { clock, identifiers, queue } = parts;
  const takePlace = createOpenReportLimit(parts);
  const withMutex = createKeyedMutex();
  /** A reservation that could not be released expires at the next recount. */
  const giveBack = (reportId: string): Promise<void> => queue.giveBack(reportId).catch(() => undefined);

  async function takeIn(submitted: SubmittedReport, deadline: number): Promise<Taken> {
    const { accountId, keyId, requestId, token, surface, input } = submitted;
    const inputHash = createHash('sha256').update(canonicalJson(input)).digest('hex');
    const presented: PresentedToken = { token, inputHash, keyId, surface };
    const stream = accountReportsStream(accountId);
    const run = async (command: IntakeCommand): Promise<IntakeState> => {
      const context = { accountId, keyId, requestId };
      const handled = await handle({ ...parts, decider: intakeDecider, stream, command, commandId: identifiers.next(), context, deadline });
      if (handled.kind === 'rejected') throw handled.rejection;
      return handled.state;
    };
    const present = () => run({ type: 'PresentToken', ...presented });
    const former = replayed(await present(), presented);
    if (former !== undefined) return { receipt: former.receipt, isNew: false };
    // Of two submissions of one token at once the second finds the report of the first and is not counted.
    return whileClaimed(parts, { accountId, tokenKey: tokenKey(token), by: identifiers.next() }, deadline, async () => {
      // The former holder of the claim has made the report, or was refused.
      const state = await present();
      const made = replayed(state, presented);
      return made === undefined ? makeReport(submitted, presented, { run, state, deadline }) : { receipt: made.receipt, isNew: false };
    });
  }

  /** In the given state the token has no report of this input. */
  async function makeReport(
    { accountId, input, baseUrl, onAllowance }: SubmittedReport,
    presented: PresentedToken,
    { run, state, deadline }: { run: (command: IntakeCommand) => Promise<IntakeState>; state: IntakeState; deadline: number },
  ): Promise<Taken> {
    const now = clock.now();
    await requireRoomInMinute(parts, accountId, now, onAllowance);
    const closed = await parts.closed(now);
    if (closed !== null) throw closed;
    const reportId = identifiers.next();
    const times = { submittedAt: new Date(now).toISOString(), nextCheckAt: new Date(now + FIRST_CHECK_MS).toISOString() };
    const announce = (at: IntakeState) => onAllowance?.(allowancesOf(at, times.submittedAt));
    const statusUrl = `${baseUrl}/api/v1/data-reports/${reportId}`;
    const command: IntakeCommand = { type: 'SubmitReport', ...presented, reportId, input, ...times, statusUrl };
    const foreseen = intakeDecider.decide(command, state);
    announce(state);
    if (foreseen instanceof Rejection) throw foreseen;
    if (!(await takePlace(reportId, deadline))) throw new Rejection('queue_unavailable', 'too many reports of all accounts are open');
    const after = await run(command).catch(async (error: unknown) => {
      // A refused report was not stored; after any other error that is unknown, and the reservation stays.
      if (error instanceof Rejection) await giveBack(reportId);
      throw error;
    });
    announce(after);
    const { receipt } = replayed(after, presented)!;
    const isNew = receipt.reportId === reportId;
    if (!isNew) await giveBack(reportId);
    return { receipt, isNew };
  }

  return async (submitted: SubmittedReport): Promise<Receipt & { readonly status: 'received' }> => {
    requireStorable(submitted.token, submitted.input);
    const deadline = clock.now() + parts.deadlineMs;
    // Submissions of one token wait for each other here, however long one takes; the claim does the same across processes.
    const { receipt, isNew } = await withMutex(`${submitted.accountId} ${submitted.token}`, () => takeIn(submitted, deadline));
    if (!(await parts.readable(receipt.reportId, deadline))) throw new DeadlineExceeded('the report was taken in but cannot be read yet');
    // A place that was not counted now is found when there is no room.
    if (isNew) await queue.count(receipt.reportId).catch(() => undefined);
    return { ...receipt, status: 'received' };
  };
}

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

/** As long as a claim lasts when its holder dies; one that is slower loses it, and the twin of its submission counts as one more. */
const CLAIM_MS = 3_000;
const PAUSE_MS = 15;

async function whileClaimed<Result>(
  { claims, clock }: Pick<SubmitDataReportParts, 'claims' | 'clock'>,
  token: ClaimedToken,
  deadline: number,
  work: () => Promise<Result>,
): Promise<Result> {
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

async function requireRoomInMinute(
  { windows }: Pick<SubmitDataReportParts, 'windows'>,
  accountId: string,
  now: number,
  onAllowance: OnAllowance | undefined,
): Promise<void> {
  const taken = await windows.take(accountId, [SUBMISSIONS_A_MINUTE], 1, now);
  if (taken.kind === 'taken') return onAllowance?.(taken.states);
  const { retryAfterSeconds } = taken;
  onAllowance?.([{ bucket: SUBMISSIONS_A_MINUTE, remaining: 0, resetSeconds: retryAfterSeconds }]);
  throw new Rejection('submit_rate_limited', `more than ${SUBMISSIONS_A_MINUTE.limit} submissions in this minute`, { retryAfterSeconds });
}

/** Why intake is closed now, or null: an operator has paused it, or the day's investigations are used up. */
export async function intakeClosed(
  parts: { readonly log: Pick<EventLog, 'readLast'>; readonly leases: Pick<ReportLeases, 'begun'>; readonly dailyBudget: number },
  now: number,
): Promise<Rejection | null> {
  const [{ intake }, begun] = await Promise.all([readSwitches(parts.log), parts.leases.begun(now)]);
  if (intake.paused) return new Rejection('intake_paused', 'no reports are taken in now; try again later');
  if (begun >= parts.dailyBudget) return new Rejection('budget_exhausted', 'the investigations of the day (UTC) are used up');
  return null;
}
