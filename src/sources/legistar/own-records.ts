import type { PublishedRecords } from '../../../domain/ports/published-records.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import { agendaId, agendaItemId, attachmentId, fileId, meetingId } from './legistar-ids.ts';

/** A published record that the sync of this client wrote. */
export interface OwnRecord {
  readonly resource: 'meetings' | 'agendas' | 'agenda_items' | 'documents';
  readonly id: string;
}

const ownDocument = (client: string, eventId: string, id: string, data: RecordData<'documents'>): boolean =>
  data.agendaItemId === null ? id === fileId(client, eventId, data.kind) : id === attachmentId(data.agendaItemId, data.url);

/**
 * Published records of one event, without its meeting: those whose id is derived from this client and the source's ids. Imported records of
 * the same meeting are not among them.
 */
export async function ownRecordsOfEvent(known: PublishedRecords, client: string, eventId: string): Promise<readonly OwnRecord[]> {
  const meeting = [meetingId(client, eventId)];
  const [agendas, items, documents] = await Promise.all([
    known.referring('agendas', 'meetingId', meeting),
    known.referring('agenda_items', 'meetingId', meeting),
    known.referring('documents', 'meetingId', meeting),
  ]);
  const [itemData, documentData] = await Promise.all([known.current('agenda_items', items), known.current('documents', documents)]);
  const own: OwnRecord[] = [];
  for (const [id, data] of documentData) if (ownDocument(client, eventId, id, data)) own.push({ resource: 'documents', id });
  for (const [id, data] of itemData) {
    if (data.sourceRecordId !== null && id === agendaItemId(client, data.sourceRecordId)) own.push({ resource: 'agenda_items', id });
  }
  for (const id of agendas) if (id === agendaId(client, eventId)) own.push({ resource: 'agendas', id });
  return own;
}

/** The client's published meetings of the given sources, by the source's event id. */
export async function ownMeetings(
  known: PublishedRecords,
  client: string,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, RecordData<'meetings'>>> {
  const meetings = await known.current('meetings', await known.referring('meetings', 'sourceId', sourceIds));
  const own = new Map<string, RecordData<'meetings'>>();
  for (const [id, data] of meetings) {
    if (data.sourceRecordId !== null && id === meetingId(client, data.sourceRecordId)) own.set(data.sourceRecordId, data);
  }
  return own;
}
