import { type FoundRecord, foundRecords, type KnownReport, type WantedRecord } from '../../../../queries/reports/known-reports.ts';
import type { PublishedRecords } from '../../../../domain/ports/published-records.ts';
import type { LiveReads } from '../../../../domain/ports/projection.ts';
import { type FoundResource, localDate } from '../../../../domain/records/external-ids.ts';
import type { RecordData, Resource } from '../../../../domain/records/resources.ts';
import { sourceAddressKey } from '../../../../domain/source-url.ts';
import { titleKey } from '../../../../domain/title-words.ts';
import type { CoverageArea } from './coverage-area.ts';

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
