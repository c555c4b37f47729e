import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { recordOfStream } from '../../domain/streams.ts';

/** The fields of each resource that hold the id of another record. */
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

export interface RecordKey {
  readonly resource: Resource;
  readonly recordId: string;
}

export interface ReferenceRow extends RecordKey {
  readonly field: string;
  readonly targetId: string;
}

export interface ReferenceBatch {
  /** Records of the batch that may have rows from before it. */
  readonly replaced: readonly RecordKey[];
  /** The references of the records as the batch leaves them. */
  readonly rows: readonly ReferenceRow[];
}

/** What a batch of record events leaves standing: the last event of each record decides. Pure. */
export function referenceRows(events: readonly StoredEvent[]): ReferenceBatch {
  const replaced = new Map<string, RecordKey>();
  const last = new Map<string, StoredEvent>();
  for (const event of events) {
    if (event.revision > 0 && !last.has(event.stream)) replaced.set(event.stream, recordOfStream(event.stream));
    last.set(event.stream, event);
  }
  const rows: ReferenceRow[] = [];
  for (const event of last.values()) {
    if (event.type !== RECORD_PUBLISHED) continue;
    const { resource, recordId } = recordOfStream(event.stream);
    const fields = REFERENCE_FIELDS[resource];
    if (fields.length === 0) continue;
    const data = JSON.parse(event.data) as Record<string, unknown>;
    for (const field of fields) {
      const targetId = data[field];
      if (typeof targetId === 'string') rows.push({ resource, recordId, field, targetId });
    }
  }
  return { replaced: [...replaced.values()], rows };
}
