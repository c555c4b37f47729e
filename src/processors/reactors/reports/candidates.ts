import type { ReportInput } from '../../../../domain/events/report-events.ts';
import type { PublishedRecords } from '../../../../domain/ports/projection.ts';
import { type FoundResource, localDate } from '../../../../domain/records/external-ids.ts';
import type { RecordData } from '../../../../domain/records/resources.ts';
import { sourceAddressKey } from '../../../../domain/source-url.ts';
import { titleKey } from '../../../../domain/text/words.ts';
import { type FoundRecord, foundRecords, type WantedRecord } from '../../../../queries/reports/known-reports.ts';
import type { CoverageArea, CoverageDependencies } from './coverage-area.ts';

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
  /** Null for records other than agendas and documents. */
  readonly textEvidence: 'readable' | 'no_text_layer' | null;
  /** True if it contains other records, which then share its address. */
  readonly container: boolean;
  /** True for an agenda or a part of one. */
  readonly isAgenda: boolean;
  /** True for a meeting whose agenda and agenda parts, if any, are among the candidates. */
  readonly arePartsRead: boolean;
}

export const wantedRecord = (input: ReportInput): WantedRecord => ({
  addressKey: sourceAddressKey(input.sourceUrl),
  titleKey: titleKey(input.expectedRecord),
  sourceRecordId: input.sourceRecordId ?? null,
  localDate: input.recordDate ?? null,
});

/**
 * Maximum number of meetings whose parts are read for a report without a date. If more match, only those at the
 * report's address are read.
 */
const MAX_MEETINGS_WITHOUT_DATE = 20;

/**
 * Returns the records that share an address, id or title with the missing one, and the parts of meetings that match it
 * by date or name; ordered by id.
 */
export async function findCandidates(
  { reads, known }: CoverageDependencies,
  area: CoverageArea,
  requested: WantedRecord,
): Promise<readonly Candidate[]> {
  const matches = await foundRecords(reads, requested);
  const wholeMeetings = await meetingsToRead(known, listIds(matches, 'meetings'), requested);
  const records = await readRecords(known, matches, wholeMeetings);
  const places = await readPlaces(known, area, records);
  return [
    ...meetingCandidates(places, wholeMeetings),
    ...agendaCandidates(places, records),
    ...itemCandidates(places, records),
    ...documentCandidates(places, records),
    ...streamCandidates(places, records),
  ].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

const listIds = (records: readonly FoundRecord[], resource: FoundResource): string[] =>
  records.filter((record) => record.resource === resource).map(({ id }) => id);
const unique = (ids: readonly (string | null | undefined)[]): string[] => [...new Set(ids.filter((id) => id != null))];

async function meetingsToRead(
  published: PublishedRecords,
  meetings: readonly string[],
  { localDate: date, addressKey }: WantedRecord,
): Promise<readonly string[]> {
  if (date !== null || meetings.length <= MAX_MEETINGS_WITHOUT_DATE) return meetings;
  const current = await published.current('meetings', meetings);
  const atAddress = meetings.filter((id) => sourceAddressKey(current.get(id)?.sourceUrl ?? '') === addressKey);
  return atAddress.length <= MAX_MEETINGS_WITHOUT_DATE ? atAddress : [];
}

type Records = Awaited<ReturnType<typeof readRecords>>;

/** Reads the records found and those of the meetings. */
async function readRecords(known: PublishedRecords, found: readonly FoundRecord[], meetings: readonly string[]) {
  const readWithParts = async <R extends 'agenda_items' | 'agendas' | 'documents'>(resource: R) =>
    await known.current(
      resource,
      unique([...listIds(found, resource), ...(await known.referring(resource, 'meetingId', meetings))]),
    );
  const [items, agendas, documents, streamRecords] = await Promise.all([
    readWithParts('agenda_items'),
    readWithParts('agendas'),
    readWithParts('documents'),
    known.current('stream_records', listIds(found, 'stream_records')),
  ]);
  // A heading might have the words of a missing item but is not a record of it. Steps of a meeting, such as its
  // minutes, might be missing.
  const shownItems = new Map([...items].filter(([, { kind }]) => kind !== 'heading'));
  return { foundMeetings: listIds(found, 'meetings'), items: shownItems, agendas, documents, streamRecords };
}

type Places = Awaited<ReturnType<typeof readPlaces>>;

/** Reads the meetings of the records and the names of their places. */
async function readPlaces(
  known: PublishedRecords,
  area: CoverageArea,
  { foundMeetings, items, agendas, documents, streamRecords }: Records,
) {
  const itemIds = [...documents.values()].map(({ agendaItemId }) => agendaItemId);
  const documentItems = await known.current('agenda_items', unique(itemIds));
  const meetingOfDocument = ({ meetingId, agendaItemId }: RecordData<'documents'>): string | null =>
    meetingId ?? documentItems.get(agendaItemId ?? '')?.meetingId ?? null;
  const ofParts = [...items.values(), ...agendas.values()].map(({ meetingId }) => meetingId);
  const ofDocuments = [...documents.values()].map(meetingOfDocument);
  const meetings = await known.current('meetings', unique([...foundMeetings, ...ofParts, ...ofDocuments]));
  const bodyIds = [...meetings.values()].map(({ publicBodyId }) => publicBodyId);
  const bodies = await known.current('public_bodies', unique(bodyIds));
  const streamIds = [...streamRecords.values()].map(({ recordStreamId }) => recordStreamId);
  const streams = await known.current('record_streams', unique(streamIds));
  const jurisdictionNames = (jurisdictionId: string | undefined) => {
    const jurisdiction = area.jurisdictions.get(jurisdictionId ?? '');
    return { jurisdictionSlug: jurisdiction?.slug ?? null, jurisdictionName: jurisdiction?.name ?? null };
  };
  const placeOfMeeting = (meetingId: string | null) => {
    const meeting = meetings.get(meetingId ?? '');
    const body = bodies.get(meeting?.publicBodyId ?? '');
    return {
      meetingId,
      date: meeting === undefined ? null : localDate(meeting.startsAt, meeting.timezone),
      isMeetingCancelled: meeting?.status === 'cancelled',
      bodyName: body?.name ?? null,
      ...jurisdictionNames(body?.jurisdictionId),
    };
  };
  const placeOfStream = (recordStreamId: string) => ({
    ...placeOfMeeting(null),
    ...jurisdictionNames(streams.get(recordStreamId)?.jurisdictionId),
  });
  return { meetings, meetingOfDocument, placeOfMeeting, placeOfStream };
}

const DEFAULTS = {
  sourceRecordId: null,
  matterFile: null,
  textEvidence: null,
  container: false,
  isAgenda: false,
  arePartsRead: false,
};

const meetingCandidates = ({ meetings, placeOfMeeting }: Places, wholeMeetings: readonly string[]): Candidate[] =>
  [...meetings].map(([id, { title, sourceUrl: url, sourceRecordId }]) => ({
    ...DEFAULTS,
    ...placeOfMeeting(id),
    resource: 'meetings',
    id,
    title,
    url,
    sourceRecordId,
    container: true,
    arePartsRead: wholeMeetings.includes(id),
  }));

const agendaCandidates = ({ meetings, placeOfMeeting }: Places, { agendas }: Records): Candidate[] =>
  [...agendas].map(([id, { meetingId, sourceUrl: url, textEvidence }]) => ({
    ...DEFAULTS,
    ...placeOfMeeting(meetingId),
    resource: 'agendas',
    id,
    url,
    textEvidence,
    title: `Agenda: ${meetings.get(meetingId)?.title ?? 'meeting unknown'}`,
    container: true,
    isAgenda: true,
  }));

const itemCandidates = ({ placeOfMeeting }: Places, { items }: Records): Candidate[] =>
  [...items].map(([id, { meetingId, title, sourceUrl: url, sourceRecordId, matterFile }]) => ({
    ...DEFAULTS,
    ...placeOfMeeting(meetingId),
    resource: 'agenda_items',
    id,
    title,
    url,
    sourceRecordId,
    matterFile,
    isAgenda: true,
  }));

const documentCandidates = ({ meetingOfDocument, placeOfMeeting }: Places, { documents }: Records): Candidate[] =>
  [...documents].map(([id, data]) => {
    const { title, url, textEvidence, kind } = data;
    const isAgenda = kind === 'agenda' || kind === 'packet';
    return {
      ...DEFAULTS,
      ...placeOfMeeting(meetingOfDocument(data)),
      resource: 'documents',
      id,
      title,
      url,
      textEvidence,
      container: isAgenda || kind === 'minutes',
      isAgenda,
    };
  });

const streamCandidates = ({ placeOfStream }: Places, { streamRecords }: Records): Candidate[] =>
  [...streamRecords].map(([id, { title, sourceUrl: url, sourceRecordId, recordDate: date, recordStreamId }]) => ({
    ...DEFAULTS,
    ...placeOfStream(recordStreamId),
    resource: 'stream_records',
    id,
    title,
    url,
    sourceRecordId,
    date,
  }));
