import { type KnownReport, knownReports, type ReportKeys } from '../../../queries/known-reports.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { type EventLog, NO_STREAM } from '../../domain/ports/event-log.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import { recordStream } from '../../domain/streams.ts';
import { type Candidate, type CandidateDependencies, findCandidates, wantedBy } from './candidates.ts';
import { matchRecords } from './match-records.ts';
import { outsideCoverage, type Places, sourcesOf } from './places.ts';
import { isOlder, sameRecord } from './same-record.ts';
import type { ReportFacts } from './verdict.ts';

export interface FactsDependencies extends CandidateDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
}

const MOST_REPORTS = 500;

/** Everything that a verdict on a report rests on, as the read models and the log say it now. */
export const gatherFacts = async (deps: FactsDependencies, places: Places, report: KnownReport): Promise<ReportFacts> => {
  const { sourceUrl, jurisdictionSlug, recordDate } = report.input;
  const wanted = wantedBy(report);
  const [candidates, older] = await Promise.all([findCandidates(deps, places, wanted), olderReports(deps, report)]);
  const matches = matchRecords(report.input, candidates);
  const since = await Promise.all(matches.certain.map((candidate) => publishedSince(deps.log, candidate)));
  const sources = sourcesOf(places, sourceUrl, jurisdictionSlug);
  const slugs = new Set([jurisdictionSlug, ...sources.map(({ jurisdictionId }) => places.jurisdictions.get(jurisdictionId)?.slug)]);
  return {
    report,
    matches,
    publishedSince: since.toSorted().at(-1) ?? null,
    olderOwn: older.find(({ accountId }) => accountId === report.accountId) ?? null,
    olderOthers: older.filter(({ accountId }) => accountId !== report.accountId),
    outside: outsideCoverage(places, sourceUrl, jurisdictionSlug),
    sources,
    agendas: candidates.filter(
      ({ resource, date, jurisdictionSlug: slug }) =>
        resource === 'agendas' && recordDate !== undefined && date === recordDate && slugs.has(slug ?? undefined),
    ),
    now: deps.clock.now(),
  };
};

const olderReports = async ({ reads }: FactsDependencies, report: KnownReport): Promise<readonly KnownReport[]> => {
  const { addressKey, titleKey, sourceRecordId, localDate } = wantedBy(report);
  const mayBe: ReportKeys = {
    addressKeys: [addressKey],
    titleKeys: titleKey === null ? [] : [titleKey],
    sourceRecordIds: sourceRecordId === null ? [] : [sourceRecordId],
    dates: localDate === null ? [] : [localDate],
  };
  const open = await knownReports(reads, { mayBe, submittedUpTo: Date.parse(report.submittedAt) }, MOST_REPORTS);
  return open.filter((other) => other.reportId !== report.reportId && isOlder(other, report) && sameRecord(other, report));
};

const PAGE = 500;

/** When the record was published that has not been withdrawn since: its first publication, or the first one after a removal. */
const publishedSince = async (log: EventLog, { resource, id }: Candidate): Promise<string> => {
  let since: number | null = null;
  for (let after = NO_STREAM; ; ) {
    const page = await log.readStream(recordStream(resource, id), after, PAGE);
    for (const { type, time } of page) since = type === RECORD_PUBLISHED ? (since ?? time) : null;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return new Date(since ?? 0).toISOString();
    after = last.revision;
  }
};
