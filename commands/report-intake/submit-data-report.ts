import { createHash } from 'node:crypto';
import { type CommandPorts, handle } from '../handle.ts';
import { createKeyedMutex } from '../keyed-mutex.ts';
import {
  computeAllowances,
  type IntakeCommand,
  intakeDecider,
  type IntakeState,
  type PresentedToken,
  type Receipt,
  findReplay,
  hashToken,
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
  /** Maximum number of open reports of all accounts. */
  readonly limit: number;
  /**
   * Waits until the read model of reports has passed the current head of the log; false at the deadline (clock
   * milliseconds).
   */
  readonly caughtUp: (deadline: number) => Promise<boolean>;
  /** The number of open reports, and which of these ids the read model contains. */
  readonly openReports: (
    reportIds: readonly string[],
  ) => Promise<{ readonly open: number; readonly known: ReadonlySet<string> }>;
}

/** Added to the deadline. After it, an append that was under way has ended, whatever happened to the connection. */
const GRACE_MS = 120_000;

/**
 * Limits the open reports of all accounts and processes. Returns a function that reserves a place for a report that
 * will be created by the deadline (clock milliseconds), or never. It resolves to false if no place is free, and throws
 * `DeadlineExceeded` if that is unknown by then.
 *
 * Every open report is counted or reserved. Closing a report does not change the count, so it might be too high; at the
 * limit it is corrected from the read model. The place of a dead process is freed once that process can append nothing
 * and the read model, caught up since, lacks the report.
 */
function createOpenReportLimit({ queue, clock, limit, caughtUp, openReports }: OpenReportLimitParts) {
  let recountedHere = false;
  /** Corrects the count; false if the read model has not caught up by the deadline. */
  const recount = async (deadline: number): Promise<boolean> => {
    const counted = await queue.look();
    const now = clock.now();
    if (!(await caughtUp(deadline))) return false;
    const { open, known } = await openReports([...counted.reserved.keys()]);
    const freed = [...counted.reserved]
      .filter(([reportId, until]) => known.has(reportId) || until < now)
      .map(([reportId]) => reportId);
    await queue.recount({ open, freed, seen: counted });
    recountedHere = true;
    return true;
  };

  return async (reportId: string, deadline: number): Promise<boolean> => {
    const place = { reportId, until: deadline + GRACE_MS, limit };
    // The row might be older than a restore, so each process recounts once.
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
  /** Returns why intake is closed now, or null. */
  readonly closed: (now: number) => Promise<Rejection | null>;
  /** Resolves to true once the report can be read, or to false at the deadline (clock milliseconds). */
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
  /**
   * Receives the remaining submissions of the minute and, if they were checked, those of the day and the unresolved
   * reports.
   */
  readonly onAllowance?: OnAllowance | undefined;
}

interface Acceptance {
  readonly receipt: Receipt;
  /** True if this submission created the report. */
  readonly isNew: boolean;
}

/**
 * Accepts a report once for each token of an account. Order of the checks:
 *
 * 1. Token and input: text that cannot be stored or contains an API key, or an address that no public record has
 * (`invalid_input`).
 * 2. A token that was used with this input returns its first receipt, whatever else applies, unless it is presented in
 * one way too many.
 * 3. Submissions of the minute, which count everything from here on (`submit_rate_limited`).
 * 4. Intake closed for everybody (`intake_paused`, `budget_exhausted`).
 * 5. On the account's stream: a token with another input (`replay_conflict`), then the day's and the unresolved reports
 * (`report_limit_reached`).
 * 6. The places for open reports of all accounts (`queue_unavailable`).
 *
 * Throws `DeadlineExceeded` if the report is stored but cannot be read yet, and whatever the stores throw.
 */
export function createSubmitDataReport(parts: SubmitDataReportParts) {
  const { clock, identifiers, queue } = parts;
  const takePlace = createOpenReportLimit(parts);
  const withMutex = createKeyedMutex();
  /** Releases a reservation. If that fails, it expires at the next recount. */
  const releaseReservation = (reportId: string): Promise<void> => queue.giveBack(reportId).catch(() => undefined);

  async function acceptReport(submitted: SubmittedReport, deadline: number): Promise<Acceptance> {
    const { accountId, keyId, requestId, token, surface, input } = submitted;
    const inputHash = createHash('sha256').update(canonicalJson(input)).digest('hex');
    const presented: PresentedToken = { token, inputHash, keyId, surface };
    const stream = accountReportsStream(accountId);
    const run = async (command: IntakeCommand): Promise<IntakeState> => {
      const context = { accountId, keyId, requestId };
      const handled = await handle({
        ...parts,
        decider: intakeDecider,
        stream,
        command,
        commandId: identifiers.next(),
        context,
        deadline,
      });
      if (handled.kind === 'rejected') throw handled.rejection;
      return handled.state;
    };
    const present = () => run({ type: 'PresentToken', ...presented });
    const former = findReplay(await present(), presented);
    if (former !== undefined) return { receipt: former.receipt, isNew: false };
    // If one token is submitted twice at once, the second submission finds the report of the first and is not counted.
    return whileClaimed(
      parts,
      { accountId, tokenKey: hashToken(token), by: identifiers.next() },
      deadline,
      async () => {
        // The former owner of the claim has created the report or was refused.
        const state = await present();
        const previous = findReplay(state, presented);
        return previous === undefined
          ? makeReport(submitted, presented, { run, state, deadline })
          : { receipt: previous.receipt, isNew: false };
      },
    );
  }

  /** Creates the report. The token has no report of this input in this state. */
  async function makeReport(
    { accountId, input, baseUrl, onAllowance }: SubmittedReport,
    presented: PresentedToken,
    {
      run,
      state,
      deadline,
    }: { run: (command: IntakeCommand) => Promise<IntakeState>; state: IntakeState; deadline: number },
  ): Promise<Acceptance> {
    const now = clock.now();
    await requireRoomInMinute(parts, accountId, now, onAllowance);
    const closed = await parts.closed(now);
    if (closed !== null) throw closed;
    const reportId = identifiers.next();
    const times = {
      submittedAt: new Date(now).toISOString(),
      nextCheckAt: new Date(now + FIRST_CHECK_MS).toISOString(),
    };
    const announce = (at: IntakeState) => onAllowance?.(computeAllowances(at, times.submittedAt));
    const statusUrl = `${baseUrl}/api/v1/data-reports/${reportId}`;
    const command: IntakeCommand = { type: 'SubmitReport', ...presented, reportId, input, ...times, statusUrl };
    const foreseen = intakeDecider.decide(command, state);
    announce(state);
    if (foreseen instanceof Rejection) throw foreseen;
    if (!(await takePlace(reportId, deadline)))
      throw new Rejection('queue_unavailable', 'too many reports of all accounts are open');
    const after = await run(command).catch(async (error: unknown) => {
      // A refused report was not stored. After any other error that is unknown, and the reservation stays.
      if (error instanceof Rejection) await releaseReservation(reportId);
      throw error;
    });
    announce(after);
    const { receipt } = findReplay(after, presented)!;
    const isNew = receipt.reportId === reportId;
    if (!isNew) await releaseReservation(reportId);
    return { receipt, isNew };
  }

  return async (submitted: SubmittedReport): Promise<Receipt & { readonly status: 'received' }> => {
    requireStorable(submitted.token, submitted.input);
    const deadline = clock.now() + parts.deadlineMs;
    // Submissions of one token wait for each other here, however long one takes; the claim does the same across
    // processes.
    const { receipt, isNew } = await withMutex(`${submitted.accountId} ${submitted.token}`, () =>
      acceptReport(submitted, deadline),
    );
    if (!(await parts.readable(receipt.reportId, deadline)))
      throw new DeadlineExceeded('the report was stored but cannot be read yet');
    // A place that could not be counted now is counted at the next recount.
    if (isNew) await queue.count(receipt.reportId).catch(() => undefined);
    return { ...receipt, status: 'received' };
  };
}

/** Throws `invalid_input` for text that cannot be stored and addresses that no public record has. */
function requireStorable(token: string, input: ReportInput): void {
  for (const text of listTexts([token, input])) {
    const reason = notStorable(text);
    if (reason !== null) throw new Rejection('invalid_input', reason);
  }
  const refusal = sourceUrlRefusal(input.sourceUrl);
  if (refusal !== null) throw new Rejection('invalid_input', `sourceUrl: ${refusal}`);
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

/**
 * Duration of a claim after its owner dies. A slower owner loses it, and the concurrent submission counts as one more.
 */
const CLAIM_MS = 3_000;
const PAUSE_MS = 15;

async function whileClaimed<Result>(
  { claims, clock }: Pick<SubmitDataReportParts, 'claims' | 'clock'>,
  token: ClaimedToken,
  deadline: number,
  work: () => Promise<Result>,
): Promise<Result> {
  while (!(await claims.claim(token, clock.now() + CLAIM_MS, clock.now()))) {
    if (clock.now() >= deadline)
      throw new DeadlineExceeded('another submission of this token was not done by the deadline');
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
  const charge = await windows.take(accountId, [SUBMISSIONS_A_MINUTE], 1, now);
  if (charge.kind === 'taken') return onAllowance?.(charge.states);
  const { retryAfterSeconds } = charge;
  onAllowance?.([{ bucket: SUBMISSIONS_A_MINUTE, remaining: 0, resetSeconds: retryAfterSeconds }]);
  throw new Rejection('submit_rate_limited', `more than ${SUBMISSIONS_A_MINUTE.limit} submissions in this minute`, {
    retryAfterSeconds,
  });
}

/** Returns why intake is closed now, or null: an operator paused it, or the day's investigations are used up. */
export async function intakeClosed(
  parts: {
    readonly log: Pick<EventLog, 'readLast'>;
    readonly leases: Pick<ReportLeases, 'countBegun'>;
    readonly dailyBudget: number;
  },
  now: number,
): Promise<Rejection | null> {
  const [{ intake }, begunToday] = await Promise.all([readSwitches(parts.log), parts.leases.countBegun(now)]);
  if (intake.paused) return new Rejection('intake_paused', 'report submission is paused; try again later');
  if (begunToday >= parts.dailyBudget)
    return new Rejection('budget_exhausted', 'the investigations of the day (UTC) are used up');
  return null;
}
