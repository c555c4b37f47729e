import { type KnownReport, knownReports, type ReportKeys } from '../../../../queries/reports/known-reports.ts';
import { streamEvents } from '../../../../domain/read-log.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { EventLog } from '../../../../domain/ports/event-log.ts';
import { RECORD_PUBLISHED } from '../../../../domain/events/record-events.ts';
import { recordStream } from '../../../../domain/streams.ts';
import { type Candidate, type CandidateDependencies, findCandidates, wantedBy } from './candidates.ts';
import { matchRecords } from './match-records.ts';
import { outsideCoverage, type CoverageArea, sourcesOf } from './coverage-area.ts';
import type { ReportFacts } from './verdict.ts';
import { sourceAddressKey, sourceHost } from '../../../../domain/source-address.ts';
import { titleKey } from '../../../../domain/title-words.ts';

/**
 * Whether two reports miss one and the same record: one source id at one host, or the same words at one address or of one date at one host.
 * Two ids are two records, whatever else is the same; so are two dates.
 */
function sameRecord({ input: one }: KnownReport, { input: other }: KnownReport): boolean {
  const host = sourceHost(one.sourceUrl) === sourceHost(other.sourceUrl);
  if (one.sourceRecordId !== undefined && other.sourceRecordId !== undefined) return host && one.sourceRecordId === other.sourceRecordId;
  if (titleKey(one.expectedRecord) !== titleKey(other.expectedRecord)) return false;
  if (one.recordDate !== undefined && other.recordDate !== undefined && one.recordDate !== other.recordDate) return false;
  return (
    sourceAddressKey(one.sourceUrl) === sourceAddressKey(other.sourceUrl) ||
    (host && one.recordDate !== undefined && one.recordDate === other.recordDate)
  );
}

/** Submitted earlier; of two of one moment the one with the smaller id. */
const isOlder = (one: KnownReport, other: KnownReport): boolean =>
  one.submittedAt < other.submittedAt || (one.submittedAt === other.submittedAt && one.reportId < other.reportId);

export interface FactsDependencies extends CandidateDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
}

const MAX_REPORTS = 500;

/** Everything that a verdict on a report rests on, as the read models and the log say it now. */
export async function gatherFacts(deps: FactsDependencies, area: CoverageArea, report: KnownReport): Promise<ReportFacts> {
  const { sourceUrl, jurisdictionSlug, recordDate } = report.input;
  const wanted = wantedBy(report);
  const [candidates, older] = await Promise.all([findCandidates(deps, area, wanted), olderReports(deps, report)]);
  const matches = matchRecords(report.input, candidates);
  const since = await Promise.all(matches.certain.map((candidate) => publishedSince(deps.log, candidate)));
  const sources = sourcesOf(area, sourceUrl, jurisdictionSlug);
  const slugs = new Set([jurisdictionSlug, ...sources.map(({ jurisdictionId }) => area.jurisdictions.get(jurisdictionId)?.slug)]);
  return {
    report,
    matches,
    publishedSince: since.toSorted().at(-1) ?? null,
    olderOwn: older.find(({ accountId }) => accountId === report.accountId) ?? null,
    olderOthers: older.filter(({ accountId }) => accountId !== report.accountId),
    outside: outsideCoverage(area, sourceUrl, jurisdictionSlug),
    sources,
    agendas: candidates.filter(
      ({ resource, date, jurisdictionSlug: slug }) =>
        resource === 'agendas' && recordDate !== undefined && date === recordDate && slugs.has(slug ?? undefined),
    ),
    now: deps.clock.now(),
  };
}

async function olderReports({ reads }: FactsDependencies, report: KnownReport): Promise<readonly KnownReport[]> {
  const { addressKey, titleKey, sourceRecordId, localDate } = wantedBy(report);
  const mayBe: ReportKeys = {
    addressKeys: [addressKey],
    titleKeys: titleKey === null ? [] : [titleKey],
    sourceRecordIds: sourceRecordId === null ? [] : [sourceRecordId],
    dates: localDate === null ? [] : [localDate],
  };
  const open = await knownReports(reads, { mayBe, submittedUpTo: Date.parse(report.submittedAt) }, MAX_REPORTS);
  return open.filter((other) => other.reportId !== report.reportId && isOlder(other, report) && sameRecord(other, report));
}

/** When the record was published that has not been withdrawn since: its first publication, or the first one after a removal. */
async function publishedSince(log: EventLog, { resource, id }: Candidate): Promise<string> {
  let since: number | null = null;
  for await (const { type, time } of streamEvents(log, recordStream(resource, id)))
    since = type === RECORD_PUBLISHED ? (since ?? time) : null;
  return new Date(since ?? 0).toISOString();
}
