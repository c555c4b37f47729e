import { derivedId } from '../../domain/identifiers.ts';

/**
 * Ids of what a client publishes, from the source's own ids. Each can be made again from a record's `data`, which is how the sync knows
 * its own records from those that somebody imported by hand.
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

/** A matter's attachment as it stands under one item: a matter that comes up twice has it under both. */
export const attachmentId = (itemRecordId: string, url: string): string => derivedId('legistar', 'attachment', itemRecordId, url);
