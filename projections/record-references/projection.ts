import { deleteRows, insertRows, rowSet } from '../row-set.ts';
import { RECORD_EVENT_TYPES, RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { sameRows } from '../same-rows.ts';
import { createRecordReferencesTable, RECORD_REFERENCES, recordReferencesTable } from './tables.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { recordOfStream } from '../../domain/streams.ts';

/** Without a name: it is planned for the current table, not for the empty one of its first use. */
const deleteReferences = (generation: number, columns: ColumnArrays, records: readonly RecordKey[]): Statement =>
  deleteRows(
    recordReferencesTable(generation),
    rowSet(columns, records, { record_id: ['uuid', ({ recordId }) => recordId], resource: ['text', ({ resource }) => resource] }),
  );

const insertReferences = (generation: number, columns: ColumnArrays, rows: readonly ReferenceRow[]): Statement => ({
  name: `insert_references_g${generation}`,
  ...insertRows(
    recordReferencesTable(generation),
    rowSet(columns, rows, {
      resource: ['text', ({ resource }) => resource],
      record_id: ['uuid', ({ recordId }) => recordId],
      field: ['text', ({ field }) => field],
      target_id: ['uuid', ({ targetId }) => targetId],
    }),
  ),
});

async function fold(batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> {
  const { replaced, rows } = referenceRows(batch);
  if (replaced.length > 0) await transaction.execute(deleteReferences(generation, columns, replaced));
  if (rows.length > 0) await transaction.execute(insertReferences(generation, columns, rows));
}

function sameCounts(left: string, right: string): Statement {
  const counts = (table: string) => `select resource, field, count(*)::text from ${table} group by resource, field`;
  return { text: `(${counts(left)} except ${counts(right)}) union all (${counts(right)} except ${counts(left)}) limit 3`, values: [] };
}

/** References between current records by target, and the external ids by which a connector finds its records. */
export const recordReferences: Projection = {
  name: RECORD_REFERENCES,
  version: 1,
  handles: RECORD_EVENT_TYPES,
  tables: (generation) => [recordReferencesTable(generation)],
  create: createRecordReferencesTable,
  fold,
  differences: (left, right, depth) => [
    (depth === 'switch' ? sameCounts : sameRows)(recordReferencesTable(left), recordReferencesTable(right)),
  ],
};

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

interface RecordKey {
  readonly resource: Resource;
  readonly recordId: string;
}

interface ReferenceRow extends RecordKey {
  readonly field: string;
  readonly targetId: string;
}

interface ReferenceBatch {
  /** Records of the batch that may have rows from before it. */
  readonly replaced: readonly RecordKey[];
  /** The references of the records as the batch leaves them. */
  readonly rows: readonly ReferenceRow[];
}

/** What a batch of record events leaves standing: the last event of each record decides. Pure. */
function referenceRows(events: readonly StoredEvent[]): ReferenceBatch {
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
