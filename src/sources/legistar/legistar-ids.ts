import { derivedId } from '../../../domain/identifiers.ts';

/**
 * Ids of a client's records, derived from the source's ids. The sync derives them again from a record's `data` to recognise its own records
 * among imported ones.
 */
export const legistarBodyId = (client: string, bodyId: number): string => derivedId('legistar', client, 'body', bodyId);

export const legistarSourceId = (client: string, publicBodyId: string): string => derivedId('legistar', client, 'source', publicBodyId);

export const meetingId = (client: string, eventId: number | string): string => derivedId('legistar', client, 'event', eventId);

export const agendaId = (client: string, eventId: number | string): string => derivedId('legistar', client, 'agenda', eventId);

export const agendaItemId = (client: string, eventItemId: number | string): string =>
  derivedId('legistar', client, 'event_item', eventItemId);

/** The agenda or the minutes of an event. */
export const fileId = (client: string, eventId: number | string, kind: string): string =>
  derivedId('legistar', client, 'file', eventId, kind);

/** An attachment of a matter under one item; a matter on two agendas has it under both items. */
export const attachmentId = (itemRecordId: string, url: string): string => derivedId('legistar', 'attachment', itemRecordId, url);
