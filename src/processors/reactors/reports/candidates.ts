import { type FoundRecord, foundRecords, type KnownReport, type WantedRecord } from '../../../../queries/reports/known-reports.ts';
import type { PublishedRecords } from '../../../../domain/ports/published-records.ts';
import type { LiveReads } from '../../../../domain/ports/projection.ts';
import { type FoundResource, localDate } from '../../../../domain/records/external-ids.ts';
import type { RecordData, Resource } from '../../../../domain/records/resources.ts';
import { sourceAddressKey, sourceHost } from '../../../../domain/source-url.ts';
import { titleKey } from '../../../../domain/words.ts';

export interface CandidateDependencies {
  readonly reads: LiveReads;
  readonly known: PublishedRecords;
}

/** A published record that may be the one that a report misses, with its body and date. */
export interface Candidate {
  readonly resource: FoundResource;
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly sourceRecordId: string | null;
  readonly matterFile: string | null;
  /** Local date of its meeting, or its own. */
  readonly date: string | null;
  readonly meetingId: string | null;
  readonly bodyName: string | null;
  readonly jurisdictionSlug: string | null;
  readonly jurisdictionName: string | null;
  /** Of an agenda, or of a document. */
  readonly textEvidence: 'readable' | 'no_text_layer' | null;
  /** Whether it contains other records, whose address is then the same. */
  readonly container: boolean;
}

export const wantedBy = ({ input }: KnownReport): WantedRecord => ({
  addressKey: sourceAddressKey(input.sourceUrl),
  titleKey: titleKey(input.expectedRecord),
  sourceRecordId: input.sourceRecordId ?? null,
  localDate: input.recordDate ?? null,
});

const idsOf = (found: readonly FoundRecord[], resource: FoundResource): string[] =>
  found.filter((record) => record.resource === resource).map(({ id }) => id);
const unique = (ids: readonly (string | null | undefined)[]): string[] => [...new Set(ids.filter((id) => id != null))];

/** Records that share a name with the missing one, and those of meetings on its date, ordered by id. */
export async function findCandidates(deps: CandidateDependencies, area: CoverageArea, wanted: WantedRecord): Promise<readonly Candidate[]> {
  const { known } = deps;
  const found = await foundRecords(deps.reads, wanted);
  const ofDate = wanted.localDate === null ? [] : idsOf(found, 'meetings');
  const below = (resource: Resource) => known.referring(resource, 'meetingId', ofDate);
  const [itemsBelow, agendasBelow, documentsBelow] = await Promise.all([below('agenda_items'), below('agendas'), below('documents')]);
  const items = await known.current('agenda_items', unique([...idsOf(found, 'agenda_items'), ...itemsBelow]));
  const agendas = await known.current('agendas', unique([...idsOf(found, 'agendas'), ...agendasBelow]));
  const documents = await known.current('documents', unique([...idsOf(found, 'documents'), ...documentsBelow]));
  const streamRecords = await known.current('stream_records', idsOf(found, 'stream_records'));
  const documentItems = await known.current('agenda_items', unique([...documents.values()].map(({ agendaItemId }) => agendaItemId)));
  const meetingOfDocument = (document: RecordData<'documents'>) =>
    document.meetingId ?? documentItems.get(document.agendaItemId ?? '')?.meetingId ?? null;
  const meetings = await known.current(
    'meetings',
    unique([
      ...idsOf(found, 'meetings'),
      ...[...items.values(), ...agendas.values()].map(({ meetingId }) => meetingId),
      ...[...documents.values()].map(meetingOfDocument),
    ]),
  );
  const bodies = await known.current('public_bodies', unique([...meetings.values()].map(({ publicBodyId }) => publicBodyId)));
  const streams = await known.current('record_streams', unique([...streamRecords.values()].map(({ recordStreamId }) => recordStreamId)));

  const at = (meetingId: string | null) => {
    const meeting = meetings.get(meetingId ?? '');
    const body = bodies.get(meeting?.publicBodyId ?? '');
    const jurisdiction = area.jurisdictions.get(body?.jurisdictionId ?? '');
    return {
      meetingId,
      date: meeting === undefined ? null : localDate(meeting.startsAt, meeting.timezone),
      bodyName: body?.name ?? null,
      jurisdictionSlug: jurisdiction?.slug ?? null,
      jurisdictionName: jurisdiction?.name ?? null,
    };
  };
  const plain = { sourceRecordId: null, matterFile: null, textEvidence: null, container: false };
  const candidates: Candidate[] = [];
  for (const [id, data] of meetings) {
    const { title, sourceUrl: url, sourceRecordId } = data;
    candidates.push({ ...plain, ...at(id), resource: 'meetings', id, title, url, sourceRecordId, container: true });
  }
  for (const [id, { meetingId, sourceUrl: url, textEvidence }] of agendas) {
    const title = `Agenda: ${meetings.get(meetingId)?.title ?? 'meeting unknown'}`;
    candidates.push({ ...plain, ...at(meetingId), resource: 'agendas', id, title, url, textEvidence, container: true });
  }
  for (const [id, { meetingId, title, sourceUrl: url, sourceRecordId, matterFile }] of items) {
    candidates.push({ ...plain, ...at(meetingId), resource: 'agenda_items', id, title, url, sourceRecordId, matterFile });
  }
  for (const [id, data] of documents) {
    const { title, url, textEvidence, kind } = data;
    const container = kind === 'agenda' || kind === 'minutes' || kind === 'packet';
    candidates.push({ ...plain, ...at(meetingOfDocument(data)), resource: 'documents', id, title, url, textEvidence, container });
  }
  for (const [id, { title, sourceUrl: url, sourceRecordId, recordDate: date, recordStreamId }] of streamRecords) {
    const jurisdiction = area.jurisdictions.get(streams.get(recordStreamId)?.jurisdictionId ?? '');
    const place = { jurisdictionSlug: jurisdiction?.slug ?? null, jurisdictionName: jurisdiction?.name ?? null };
    candidates.push({ ...plain, ...at(null), ...place, resource: 'stream_records', id, title, url, sourceRecordId, date });
  }
  return candidates.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

export interface CoverageAreaDependencies {
  readonly known: PublishedRecords;
  /** Ids of the current records of a resource, in pages. */
  readonly currentIds: (resource: Resource) => AsyncIterable<readonly string[]>;
}

type Jurisdiction = RecordData<'jurisdictions'>;
type Source = RecordData<'sources'>;

/** Where the service has sources, as its own records say it. */
export interface CoverageArea {
  readonly jurisdictions: ReadonlyMap<string, Jurisdiction>;
  /** Of two with one slug the older. */
  readonly bySlug: ReadonlyMap<string, Jurisdiction>;
  readonly activeSources: readonly Source[];
  /** Jurisdictions with an active source or an active record stream. */
  readonly followed: ReadonlySet<string>;
}

async function allCurrent<R extends Resource>({ known, currentIds }: CoverageAreaDependencies, resource: R): Promise<RecordData<R>[]> {
  const found = new Map<string, RecordData<R>>();
  for await (const ids of currentIds(resource)) for (const [id, data] of await known.current(resource, ids)) found.set(id, data);
  return [...found.values()];
}

/** Reads the service's area: some hundreds of records. */
export async function readCoverageArea(deps: CoverageAreaDependencies): Promise<CoverageArea> {
  const jurisdictions = await allCurrent(deps, 'jurisdictions');
  const sources = (await allCurrent(deps, 'sources')).filter(({ active }) => active);
  const streams = (await allCurrent(deps, 'record_streams')).filter(({ active }) => active);
  const oldestLast = jurisdictions.toSorted((one, other) => (one.createdAt + one.id < other.createdAt + other.id ? 1 : -1));
  return {
    jurisdictions: new Map(jurisdictions.map((jurisdiction) => [jurisdiction.id, jurisdiction])),
    bySlug: new Map(oldestLast.map((jurisdiction) => [jurisdiction.slug, jurisdiction])),
    activeSources: sources.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    followed: new Set([...sources, ...streams].map(({ jurisdictionId }) => jurisdictionId)),
  };
}

/** The sources of a report: those at the host of its address within its jurisdiction; where there are none, all of that jurisdiction. */
export function sourcesOf(area: CoverageArea, sourceUrl: string, jurisdictionSlug: string | undefined): readonly Source[] {
  const host = sourceHost(sourceUrl);
  const atHost = ({ officialSourceUrl }: Source) => officialSourceUrl !== null && sourceHost(officialSourceUrl) === host;
  if (jurisdictionSlug === undefined) return area.activeSources.filter(atHost);
  const jurisdiction = area.bySlug.get(jurisdictionSlug);
  const ofPlace = area.activeSources.filter(({ jurisdictionId }) => jurisdictionId === jurisdiction?.id);
  const there = ofPlace.filter(atHost);
  return there.length > 0 ? there : ofPlace;
}

/**
 * Why the report is about nothing that the service covers, in one sentence of facts; null where it may be. A report that names no place is
 * judged by its host: one that a source has, or whose name holds that of a place with a source, may be covered.
 */
export function outsideCoverage(area: CoverageArea, sourceUrl: string, jurisdictionSlug: string | undefined): string | null {
  if (jurisdictionSlug !== undefined) {
    const jurisdiction = area.bySlug.get(jurisdictionSlug);
    if (jurisdiction === undefined) return `This service has no jurisdiction ${jurisdictionSlug}.`;
    if (!jurisdiction.active) return `${jurisdiction.name} is not an active jurisdiction of this service.`;
    return area.followed.has(jurisdiction.id) ? null : `This service follows no source of ${jurisdiction.name}.`;
  }
  const host = sourceHost(sourceUrl);
  if (host === null) return null;
  const squeezed = host.replaceAll(/[^a-z0-9]/g, '');
  const named = [...area.followed].some((id) => {
    const slug = area.jurisdictions.get(id)?.slug.replace(/-county$/, '');
    return slug !== undefined && squeezed.includes(slug.replaceAll('-', ''));
  });
  if (named || sourcesOf(area, sourceUrl, undefined).length > 0) return null;
  return `The report names no jurisdiction, and no source that this service follows is known to be at ${host}.`;
}
