import type { ReportInput } from '../../../../domain/events/report-events.ts';
import type { LiveReads, PublishedRecords } from '../../../../domain/ports/projection.ts';
import { type FoundResource, localDate } from '../../../../domain/records/external-ids.ts';
import type { RecordData, Resource } from '../../../../domain/records/resources.ts';
import { sourceAddressKey, sourceHost } from '../../../../domain/source-url.ts';
import { titleKey, titleWords } from '../../../../domain/words.ts';
import { currentIds } from '../../../../queries/feed/published-records.ts';
import { type FoundRecord, foundRecords, type KnownReport, type WantedRecord } from '../../../../queries/reports/known-reports.ts';

export interface CandidateDependencies {
  readonly reads: LiveReads;
  readonly known: PublishedRecords;
}

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
  readonly isMeetingCancelled: boolean;
  readonly bodyName: string | null;
  readonly jurisdictionSlug: string | null;
  readonly jurisdictionName: string | null;
  /** Of an agenda, or of a document. */
  readonly textEvidence: 'readable' | 'no_text_layer' | null;
  /** Whether it contains other records, whose address is then the same. */
  readonly container: boolean;
  /** An agenda or a part of one. */
  readonly isAgenda: boolean;
  /** Of a meeting: whether its agenda and the parts of it are among the candidates, where there are any. */
  readonly arePartsRead: boolean;
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

/** Without a date, the parts of so many meetings that share a name with the missing record are read, and of more those at its address. */
const MAX_MEETINGS_WITHOUT_DATE = 20;

/** Records that share a name with the missing one, and those of meetings on its date or of a few that share a name, ordered by id. */
export async function findCandidates(deps: CandidateDependencies, area: CoverageArea, wanted: WantedRecord): Promise<readonly Candidate[]> {
  const { known } = deps;
  const found = await foundRecords(deps.reads, wanted);
  const foundMeetings = idsOf(found, 'meetings');
  const areFew = wanted.localDate !== null || foundMeetings.length <= MAX_MEETINGS_WITHOUT_DATE;
  const readWhole = areFew ? foundMeetings : await atAddress(deps, foundMeetings, wanted.addressKey);
  const below = (resource: Resource) => known.referring(resource, 'meetingId', readWhole);
  const [itemsBelow, agendasBelow, documentsBelow] = await Promise.all([below('agenda_items'), below('agendas'), below('documents')]);
  const items = await known.current('agenda_items', unique([...idsOf(found, 'agenda_items'), ...itemsBelow]));
  const agendas = await known.current('agendas', unique([...idsOf(found, 'agendas'), ...agendasBelow]));
  const documents = await known.current('documents', unique([...idsOf(found, 'documents'), ...documentsBelow]));
  const streamRecords = await known.current('stream_records', idsOf(found, 'stream_records'));
  const documentItems = await known.current('agenda_items', unique([...documents.values()].map(({ agendaItemId }) => agendaItemId)));
  const meetingOfDocument = (document: RecordData<'documents'>) =>
    document.meetingId ?? documentItems.get(document.agendaItemId ?? '')?.meetingId ?? null;
  const ofParts = [...items.values(), ...agendas.values()].map(({ meetingId }) => meetingId);
  const ofDocuments = [...documents.values()].map(meetingOfDocument);
  const meetings = await known.current('meetings', unique([...foundMeetings, ...ofParts, ...ofDocuments]));
  const bodies = await known.current('public_bodies', unique([...meetings.values()].map(({ publicBodyId }) => publicBodyId)));
  const streams = await known.current('record_streams', unique([...streamRecords.values()].map(({ recordStreamId }) => recordStreamId)));

  const at = (meetingId: string | null) => {
    const meeting = meetings.get(meetingId ?? '');
    const body = bodies.get(meeting?.publicBodyId ?? '');
    const jurisdiction = area.jurisdictions.get(body?.jurisdictionId ?? '');
    return {
      meetingId,
      date: meeting === undefined ? null : localDate(meeting.startsAt, meeting.timezone),
      isMeetingCancelled: meeting?.status === 'cancelled',
      bodyName: body?.name ?? null,
      jurisdictionSlug: jurisdiction?.slug ?? null,
      jurisdictionName: jurisdiction?.name ?? null,
    };
  };
  const plain = { sourceRecordId: null, matterFile: null, textEvidence: null, container: false, isAgenda: false, arePartsRead: false };
  const candidates: Candidate[] = [];
  for (const [id, data] of meetings) {
    const { title, sourceUrl: url, sourceRecordId } = data;
    const arePartsRead = readWhole.includes(id);
    candidates.push({ ...plain, ...at(id), resource: 'meetings', id, title, url, sourceRecordId, container: true, arePartsRead });
  }
  for (const [id, { meetingId, sourceUrl: url, textEvidence }] of agendas) {
    const title = `Agenda: ${meetings.get(meetingId)?.title ?? 'meeting unknown'}`;
    candidates.push({ ...plain, ...at(meetingId), resource: 'agendas', id, title, url, textEvidence, container: true, isAgenda: true });
  }
  for (const [id, { meetingId, title, sourceUrl: url, sourceRecordId, matterFile }] of items) {
    candidates.push({ ...plain, ...at(meetingId), resource: 'agenda_items', id, title, url, sourceRecordId, matterFile, isAgenda: true });
  }
  for (const [id, data] of documents) {
    const { title, url, textEvidence, kind } = data;
    const isAgenda = kind === 'agenda' || kind === 'packet';
    const container = isAgenda || kind === 'minutes';
    candidates.push({ ...plain, ...at(meetingOfDocument(data)), resource: 'documents', id, title, url, textEvidence, container, isAgenda });
  }
  for (const [id, { title, sourceUrl: url, sourceRecordId, recordDate: date, recordStreamId }] of streamRecords) {
    const jurisdiction = area.jurisdictions.get(streams.get(recordStreamId)?.jurisdictionId ?? '');
    const place = { jurisdictionSlug: jurisdiction?.slug ?? null, jurisdictionName: jurisdiction?.name ?? null };
    candidates.push({ ...plain, ...at(null), ...place, resource: 'stream_records', id, title, url, sourceRecordId, date });
  }
  return candidates.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Those of the meetings that are at the address; none of too many. */
async function atAddress({ known }: CandidateDependencies, meetings: readonly string[], addressKey: string | null): Promise<string[]> {
  const current = await known.current('meetings', meetings);
  const there = meetings.filter((id) => sourceAddressKey(current.get(id)?.sourceUrl ?? '') === addressKey);
  return there.length <= MAX_MEETINGS_WITHOUT_DATE ? there : [];
}

export interface Matches {
  /** Published, and beyond doubt what is missed; empty where there is a doubt. */
  readonly certain: readonly Candidate[];
  /** The agendas and their parts of the certain meetings, where an agenda is missed. */
  readonly agendaParts: readonly Candidate[];
  /** Meetings that would be certain if an agenda or a part of one were there, which is missed. */
  readonly withoutAgenda: readonly Candidate[];
  /** Other records that match the report in part, the likeliest first, for a person to examine. */
  readonly possible: readonly Candidate[];
}

/** In a row. */
const DISTINCTIVE_WORDS = 5;
const MAX_URL_LENGTH = 2048;
const MAX_MATCHES = 20;

type Facts = ReturnType<typeof compare>;

const containsRun = (words: readonly string[], run: readonly string[]): boolean =>
  run.length >= DISTINCTIVE_WORDS && ` ${words.join(' ')} `.includes(` ${run.join(' ')} `);

/** A text that was cut at a thousand characters may end within a word. */
const begins = (words: readonly string[], start: readonly string[]): boolean =>
  start.length >= DISTINCTIVE_WORDS && words.join(' ').startsWith(start.join(' '));

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const FILLER: ReadonlySet<string> = new Set('a an and at for from in of on the to its meeting agenda document page pdf'.split(' '));
/** Words that ask for the agenda of a meeting: the meeting alone does not answer them. */
const AGENDA_WORDS: ReadonlySet<string> = new Set('agenda agendas document documents packet pdf'.split(' '));

function dateWords(date: string | null): readonly string[] {
  if (date === null) return [];
  const [year, month, day] = date.split('-') as [string, string, string];
  const name = MONTHS[Number(month) - 1]!;
  return [year, month, day, String(Number(month)), String(Number(day)), name, name.slice(0, 3)];
}

/** Whether the words of the report only name the record: then the report means the container, not its content. */
function saysNoMore(expected: readonly string[], { title, bodyName, jurisdictionName, date }: Candidate): boolean {
  const words = new Set([...titleWords([title, bodyName, jurisdictionName].join(' ')), ...dateWords(date), 'city', 'county']);
  return expected.some((word) => !FILLER.has(word) && words.has(word)) && expected.every((word) => words.has(word) || FILLER.has(word));
}

function compare(input: ReportInput, candidate: Candidate) {
  const [expected, title] = [titleWords(input.expectedRecord), titleWords(candidate.title)];
  const wantedId = input.sourceRecordId?.toUpperCase();
  const streamsOnly = candidate.resource === 'stream_records';
  const exact = title.length > 0 && title.join(' ') === expected.join(' ');
  return {
    contradicts:
      (input.recordDate !== undefined && candidate.date !== null && input.recordDate !== candidate.date) ||
      (input.jurisdictionSlug !== undefined &&
        candidate.jurisdictionSlug !== null &&
        input.jurisdictionSlug !== candidate.jurisdictionSlug) ||
      (input.recordKind === 'agenda' && streamsOnly) ||
      (input.recordKind === 'record_stream' && !streamsOnly && candidate.resource !== 'documents') ||
      candidate.url.length > MAX_URL_LENGTH,
    id: wantedId !== undefined && candidate.sourceRecordId?.toUpperCase() === wantedId,
    file: wantedId !== undefined && candidate.matterFile?.toUpperCase() === wantedId,
    address: sourceAddressKey(candidate.url) === sourceAddressKey(input.sourceUrl),
    exact,
    title: exact || containsRun(expected, title) || containsRun(title, expected) || begins(title, expected),
    named: candidate.container && saysNoMore(expected, candidate),
    date: input.recordDate !== undefined && input.recordDate === candidate.date,
    place:
      (input.jurisdictionSlug !== undefined && input.jurisdictionSlug === candidate.jurisdictionSlug) ||
      sourceHost(candidate.url) === sourceHost(input.sourceUrl),
  };
}

const weight = ({ id, file, address, exact, title, named, date, place }: Facts): number =>
  (id ? 32 : 0) + (file ? 16 : 0) + (exact ? 12 : title ? 8 : 0) + (named ? 4 : 0) + (address ? 4 : 0) + (date ? 2 : 0) + (place ? 1 : 0);

/**
 * The records that a report misses: those of its source's id at its address or place, of its address where nothing else is there, or of its
 * title at its address or date. A record that contradicts the report is none, nor is a meeting without an agenda where an agenda is missed; where
 * two different records would be, none is certain. Pure.
 */
export function matchRecords(input: ReportInput, candidates: readonly Candidate[]): Matches {
  const compared = candidates
    .map((candidate) => ({ candidate, facts: compare(input, candidate) }))
    .filter(({ facts }) => !facts.contradicts)
    .map((one) => ({ ...one, weight: weight(one.facts) }))
    .toSorted((one, other) => other.weight - one.weight);
  const alone = (fact: 'id' | 'file' | 'address') =>
    compared.filter(({ facts }) => facts[fact] && (fact === 'address' || facts.place)).length === 1;
  const [aloneById, aloneByFile, aloneAtAddress] = [alone('id'), alone('file'), alone('address')];
  const isCertain = ({ candidate, facts }: (typeof compared)[number]): boolean => {
    const { id, file, address, title, named, date, place } = facts;
    if (id && (address || (place && (date || title || aloneById)))) return true;
    if (file && place && (date || address || title || aloneByFile)) return true;
    if ((title || named) && (address || (date && place))) return true;
    return address && aloneAtAddress && !candidate.container && input.sourceRecordId === undefined;
  };
  const words = titleWords(input.expectedRecord);
  const isAgendaMissed = words.some((word) => AGENDA_WORDS.has(word));
  const partsOf = ({ meetingId }: Candidate) => candidates.filter((part) => part.isAgenda && part.meetingId === meetingId);
  const lacksAgenda = (one: Candidate): boolean => one.resource === 'meetings' && isAgendaMissed && partsOf(one).length === 0;
  const isOtherMinutes = ({ container, isAgenda, resource }: Candidate): boolean =>
    resource === 'documents' && container && !isAgenda && isAgendaMissed && !words.includes('minutes');
  const alike = compared.filter((one) => isCertain(one) && !isOtherMinutes(one.candidate));
  const certain = alike.filter(({ candidate }) => !lacksAgenda(candidate));
  const withoutAgenda = alike.map(({ candidate }) => candidate).filter((one) => lacksAgenda(one) && one.arePartsRead);
  const best = certain.filter((one) => one.weight === certain[0]!.weight);
  const sharesName = ({ id, file, address, title, named }: Facts): boolean => id || file || address || title || named;
  const rest = compared.filter(({ facts }) => sharesName(facts)).map(({ candidate }) => candidate);
  const doubtful = new Set(best.map(({ candidate: { resource, title, date } }) => JSON.stringify([resource, title, date]))).size > 1;
  if (doubtful && !oneMeeting(best.map(({ candidate }) => candidate)))
    return { certain: [], agendaParts: [], withoutAgenda, possible: rest };
  const chosen = best.slice(0, MAX_MATCHES).map(({ candidate }) => candidate);
  const agendaParts = isAgendaMissed ? chosen.filter(({ resource }) => resource === 'meetings').flatMap(partsOf) : [];
  return { certain: chosen, agendaParts, withoutAgenda, possible: rest.filter((candidate) => !chosen.includes(candidate)) };
}

/** A meeting and its own agenda, its agenda's document and so on: the same thing in several resources. */
const oneMeeting = (candidates: readonly Candidate[]): boolean =>
  candidates[0]?.meetingId != null &&
  candidates.every(({ meetingId, container }) => container && meetingId === candidates[0]!.meetingId) &&
  new Set(candidates.map(({ resource }) => resource)).size === candidates.length;

type Jurisdiction = RecordData<'jurisdictions'>;
type Source = RecordData<'sources'>;

export interface CoverageArea {
  readonly jurisdictions: ReadonlyMap<string, Jurisdiction>;
  /** Of two with one slug the older. */
  readonly bySlug: ReadonlyMap<string, Jurisdiction>;
  readonly activeSources: readonly Source[];
  /** Jurisdictions with an active source or an active record stream. */
  readonly followed: ReadonlySet<string>;
}

async function allCurrent<R extends Resource>({ reads, known }: CandidateDependencies, resource: R): Promise<RecordData<R>[]> {
  const found = new Map<string, RecordData<R>>();
  for await (const ids of currentIds(reads, resource)) for (const [id, data] of await known.current(resource, ids)) found.set(id, data);
  return [...found.values()];
}

export async function readCoverageArea(deps: CandidateDependencies): Promise<CoverageArea> {
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
