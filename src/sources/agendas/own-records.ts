import { derivedId } from '../../../domain/identifiers.ts';
import type { PublishedRecords } from '../../../domain/ports/projection.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import type { OwnRecord } from '../source.ts';

/**
 * Ids of a client's records derive from the source's ids, which distinguishes its own records from imported ones. The ids of every platform
 * begin with the name of the first one: changing it would change every id. Clients of other platforms have a prefix.
 */
const NAMESPACE = 'legistar';
const idOf = (client: string, kind: string, sourceId: number | string): string =>
  derivedId(NAMESPACE, client, kind, sourceId);
export const derivedBodyId = (client: string, bodyId: number): string => idOf(client, 'body', bodyId);
export const derivedSourceId = (client: string, publicBodyId: string): string => idOf(client, 'source', publicBodyId);
export const meetingId = (client: string, eventId: number | string): string => idOf(client, 'event', eventId);
export const agendaId = (client: string, eventId: number | string): string => idOf(client, 'agenda', eventId);
export const agendaItemId = (client: string, eventItemId: number | string): string =>
  idOf(client, 'event_item', eventItemId);

export const fileId = (client: string, eventId: number | string, kind: string): string =>
  derivedId(NAMESPACE, client, 'file', eventId, kind);

/** A file of another event that is the same meeting. */
export const twinFileId = (client: string, eventId: number | string, kind: string, url: string): string =>
  derivedId(NAMESPACE, client, 'file', eventId, kind, url);

/** An attachment of a matter under one item; a matter on two agendas has it under both items. */
export const attachmentId = (itemRecordId: string, url: string): string =>
  derivedId(NAMESPACE, 'attachment', itemRecordId, url);

/** Published records of an event, without its meeting, whose ids derive from this client and the source's ids: not the imported ones. */
export async function ownRecordsOfEvent(
  known: PublishedRecords,
  client: string,
  eventId: string,
): Promise<readonly OwnRecord[]> {
  const meeting = [meetingId(client, eventId)];
  const [agendas, items, documents] = await Promise.all([
    known.referring('agendas', 'meetingId', meeting),
    known.referring('agenda_items', 'meetingId', meeting).then((ids) => known.current('agenda_items', ids)),
    known.referring('documents', 'meetingId', meeting).then((ids) => known.current('documents', ids)),
  ]);
  const documentIds = ({ agendaItemId: item, kind, url }: RecordData<'documents'>): readonly string[] =>
    item === null ? [fileId(client, eventId, kind), twinFileId(client, eventId, kind, url)] : [attachmentId(item, url)];
  const own: OwnRecord[] = [];
  for (const [id, data] of documents) if (documentIds(data).includes(id)) own.push({ resource: 'documents', id });
  for (const [id, { sourceRecordId }] of items) {
    if (sourceRecordId !== null && id === agendaItemId(client, sourceRecordId))
      own.push({ resource: 'agenda_items', id });
  }
  for (const id of agendas) if (id === agendaId(client, eventId)) own.push({ resource: 'agendas', id });
  return own;
}

/** Returns the client's published meetings of these sources, keyed by the source's event id. */
export async function ownMeetings(
  known: PublishedRecords,
  client: string,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, RecordData<'meetings'>>> {
  const meetings = await known.current('meetings', await known.referring('meetings', 'sourceId', sourceIds));
  const own = new Map<string, RecordData<'meetings'>>();
  for (const [id, data] of meetings) {
    if (data.sourceRecordId !== null && id === meetingId(client, data.sourceRecordId))
      own.set(data.sourceRecordId, data);
  }
  return own;
}
