import { RECORD_EVENT_TYPES, RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { recordOfStream } from '../../domain/streams.ts';
import { projection } from '../projection.ts';
import { findNewStreams, selectLastEvents } from '../record-changes.ts';
import { insert, remove } from '../rows.ts';
import type { Row } from '../tables.ts';
import { RECORD_REFERENCES } from './tables.ts';

export const REFERENCE_FIELDS: Readonly<Record<Resource, readonly string[]>> = {
  jurisdictions: [],
  public_bodies: ['jurisdictionId'],
  sources: ['jurisdictionId', 'publicBodyId'],
  topics: [],
  meetings: ['publicBodyId', 'sourceId'],
  agendas: ['meetingId', 'documentId'],
  agenda_items: ['meetingId', 'agendaId'],
  agenda_hits: ['agendaItemId', 'topicId'],
  documents: ['meetingId', 'agendaItemId'],
  record_streams: ['jurisdictionId', 'sourceId'],
  stream_records: ['recordStreamId'],
};

function* referenceRows(batch: readonly StoredEvent[], content: FoldContext['content']): Generator<Row> {
  for (const event of selectLastEvents(batch)) {
    if (event.type !== RECORD_PUBLISHED) continue;
    const { resource, recordId } = recordOfStream(event.stream);
    const fields = REFERENCE_FIELDS[resource];
    if (fields.length === 0) continue;
    const record = content(event) as Readonly<Record<string, unknown>>;
    for (const field of fields) {
      const target = record[field];
      if (typeof target === 'string') yield { resource, record_id: recordId, field, target_id: target };
    }
  }
}

/** A record has earlier rows only if its first event is not in the batch. */
async function fold(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const { references } = RECORD_REFERENCES.tables;
  const existing = new Set(batch.map(({ stream }) => stream)).difference(findNewStreams(batch));
  const replaced = [...existing]
    .map(recordOfStream)
    .map(({ resource, recordId }) => ({ record_id: recordId, resource }));
  await remove(context, references, replaced);
  await insert(context, references, [...referenceRows(batch, context.content)]);
}

export const recordReferences = projection(RECORD_REFERENCES, { version: 1, handles: RECORD_EVENT_TYPES, fold });
