import { leaseReport, moveReport, noteReport, type ReportWork } from '../../../../commands/reports/work-on-report.ts';
import { type KnownReport, knownReports, type ReportFilter } from '../../../../queries/reports/known-reports.ts';
import { RECORD_PUBLISHED } from '../../../../domain/events/record-events.ts';
import { DatabaseUnavailable } from '../../../../domain/ports/database.ts';
import { type EventLog, LogUnavailable, OutcomeUnknown, type Position } from '../../../../domain/ports/event-log.ts';
import type { Logger } from '../../../../domain/ports/logger.ts';
import { streamEvents } from '../../../../domain/read-log.ts';
import { Rejection, type RejectionCode } from '../../../../domain/rejections.ts';
import { readSwitches } from '../../../../domain/events/report-events.ts';
import { sourceAddressKey, sourceHost } from '../../../../domain/source-url.ts';
import { recordStream } from '../../../../domain/streams.ts';
import { titleKey } from '../../../../domain/text/words.ts';
import { type Candidate, findCandidates, wantedRecord } from './candidates.ts';
import {
  type CoverageArea,
  type CoverageDependencies,
  explainOutsideCoverage,
  findSources,
  readCoverageArea,
} from './coverage-area.ts';
import { matchRecords } from './match-records.ts';
import { type ReportFacts, type Verdict, verdictOn } from './verdict.ts';

export interface WorkerDependencies extends CoverageDependencies, ReportWork {
  readonly logger: Logger;
  readonly holder: string;
  readonly dailyBudget: number;
}

export interface WorkDone {
  examined: number;
  readonly moved: { readonly reportId: string; readonly to: string }[];
  readonly noted: string[];
  /** Skipped reports: another process has them or they have moved. A later run includes them. */
  readonly skipped: { readonly reportId: string; readonly code: RejectionCode }[];
  /** Failed reports with their errors; the others were still processed. A later run includes them. */
  readonly failed: { readonly reportId: string; readonly reason: string }[];
  /** Reason of an early end of the run. */
  stopped: Extract<RejectionCode, 'worker_paused' | 'budget_exhausted'> | null;
  position: Position | null;
}

const LEASE_MS = 60_000;
const MAX_REPORTS_AT_ONCE = 2000;

/** Returns true for a failure that affects all reports. */
const isOutage = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || error instanceof LogUnavailable || error instanceof OutcomeUnknown;

/**
 * Examines at most two thousand reports of the filter, as far as the switch and the day's budget allow; each under its
 * own lease.
 */
export async function workOnReports(
  deps: WorkerDependencies,
  filter: ReportFilter,
  signal: AbortSignal,
): Promise<WorkDone> {
  const result: WorkDone = {
    examined: 0,
    moved: [],
    noted: [],
    skipped: [],
    failed: [],
    stopped: null,
    position: null,
  };
  if ((await readSwitches(deps.log)).worker.paused) return { ...result, stopped: 'worker_paused' };
  let area: CoverageArea | undefined;
  for (const report of await knownReports(deps.reads, filter, MAX_REPORTS_AT_ONCE)) {
    signal.throwIfAborted();
    area ??= await readCoverageArea(deps);
    try {
      await examine(deps, area, report, result);
    } catch (error) {
      if (isOutage(error) || signal.aborted) throw error;
      const failure = { reportId: report.reportId, reason: (error as Error).message };
      result.failed.push(failure);
      deps.logger.error(failure, 'a report could not be examined');
    }
    if (result.stopped !== null) break;
  }
  return result;
}

async function examine(
  deps: WorkerDependencies,
  area: CoverageArea,
  report: KnownReport,
  done: WorkDone,
): Promise<void> {
  const { reportId } = report;
  done.examined += 1;
  const verdict = verdictOn(await gatherFacts(deps, area, report));
  if (verdict === null) return;
  const outcome = await carryOut(deps, report, verdict);
  if (outcome instanceof Rejection) {
    const { code } = outcome;
    if (code === 'worker_paused' || code === 'budget_exhausted') done.stopped = code;
    else done.skipped.push({ reportId, code });
    return;
  }
  done.position = outcome;
  const last = verdict.moves.at(-1);
  if (last === undefined) done.noted.push(reportId);
  else done.moved.push({ reportId, to: last.to });
  deps.logger.info({ reportId, to: last?.to ?? report.status }, 'a report was examined');
}

/** Applies a verdict under a lease, unless the report has moved since its facts were collected. */
async function carryOut(
  deps: WorkerDependencies,
  { reportId, accountId, revision: seenRevision }: KnownReport,
  { moves, note, nextCheckAt }: Verdict,
): Promise<Position | Rejection> {
  const { holder, dailyBudget } = deps;
  const request = { reportId, accountId, holder, leaseMs: LEASE_MS, dailyBudget, whilePaused: false, seenRevision };
  const leased = await leaseReport(deps, request);
  if (leased instanceof Rejection) return leased;
  const [first, ...others] = moves;
  const handled =
    first === undefined
      ? await noteReport(deps, leased.lease, { note: note ?? 'Looked at again; nothing is new.', nextCheckAt })
      : await moveReport(deps, leased.lease, seenRevision, { moves: [first, ...others], note });
  await deps.leases.release(leased.lease);
  if (handled.kind === 'rejected') return handled.rejection;
  if (handled.position === null) throw new Error(`nothing was written for report ${reportId}`);
  return handled.position;
}

/**
 * Returns true if two reports miss the same record: the same source id at the same host, or the same words at the same
 * address or with the same date at the same host. Different ids or dates mean different records.
 */
function isSameRecord({ input: one }: KnownReport, { input: other }: KnownReport): boolean {
  const host = sourceHost(one.sourceUrl) === sourceHost(other.sourceUrl);
  if (one.sourceRecordId !== undefined && other.sourceRecordId !== undefined)
    return host && one.sourceRecordId === other.sourceRecordId;
  if (titleKey(one.expectedRecord) !== titleKey(other.expectedRecord)) return false;
  if (one.recordDate !== undefined && other.recordDate !== undefined && one.recordDate !== other.recordDate)
    return false;
  return (
    sourceAddressKey(one.sourceUrl) === sourceAddressKey(other.sourceUrl) ||
    (host && one.recordDate !== undefined && one.recordDate === other.recordDate)
  );
}

/** Compares the times of submission, then the ids. */
const isOlder = (one: KnownReport, other: KnownReport): boolean =>
  one.submittedAt < other.submittedAt || (one.submittedAt === other.submittedAt && one.reportId < other.reportId);

const MAX_REPORTS = 500;

async function gatherFacts(deps: WorkerDependencies, area: CoverageArea, report: KnownReport): Promise<ReportFacts> {
  const { sourceUrl, jurisdictionSlug, recordDate } = report.input;
  const requested = wantedRecord(report.input);
  const [candidates, older] = await Promise.all([findCandidates(deps, area, requested), olderReports(deps, report)]);
  const matches = matchRecords(report.input, candidates);
  const since = await publishedSince(deps.log, matches.certain);
  const agendaSince = (await publishedSince(deps.log, matches.agendaParts)).slice(0, 1);
  const sources = findSources(area, sourceUrl, jurisdictionSlug);
  const slugs = new Set([
    jurisdictionSlug,
    ...sources.map(({ jurisdictionId }) => area.jurisdictions.get(jurisdictionId)?.slug),
  ]);
  const isOfDate = ({ date }: Candidate) => recordDate !== undefined && date === recordDate;
  return {
    report,
    matches,
    publishedSince: [...since, ...agendaSince].toSorted().at(-1) ?? null,
    olderOwn: older.find(({ accountId }) => accountId === report.accountId) ?? null,
    olderOthers: older.filter(({ accountId }) => accountId !== report.accountId),
    outside: explainOutsideCoverage(area, sourceUrl, jurisdictionSlug),
    sources,
    agendas: candidates.filter(
      (one) => one.resource === 'agendas' && isOfDate(one) && slugs.has(one.jurisdictionSlug ?? undefined),
    ),
    now: deps.clock.now(),
  };
}

async function olderReports({ reads }: WorkerDependencies, report: KnownReport): Promise<readonly KnownReport[]> {
  const { addressKey, titleKey, sourceRecordId, localDate } = wantedRecord(report.input);
  const mayBe = {
    addressKeys: [addressKey],
    titleKeys: titleKey === null ? [] : [titleKey],
    sourceRecordIds: sourceRecordId === null ? [] : [sourceRecordId],
    dates: localDate === null ? [] : [localDate],
  };
  const open = await knownReports(reads, { mayBe, submittedUpTo: Date.parse(report.submittedAt) }, MAX_REPORTS);
  return open.filter(
    (other) => other.reportId !== report.reportId && isOlder(other, report) && isSameRecord(other, report),
  );
}

/** Returns the times since which the records have been published, the earliest first. */
const publishedSince = async (log: EventLog, candidates: readonly Candidate[]): Promise<readonly string[]> =>
  (await Promise.all(candidates.map((candidate) => onePublishedSince(log, candidate)))).toSorted();

/** Returns the time of the first publication after the last withdrawal, if any. */
async function onePublishedSince(log: EventLog, { resource, id }: Candidate): Promise<string> {
  let since: number | null = null;
  for await (const { type, time } of streamEvents(log, recordStream(resource, id)))
    since = type === RECORD_PUBLISHED ? (since ?? time) : null;
  return new Date(since ?? 0).toISOString();
}
