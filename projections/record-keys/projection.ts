import { RECORD_EVENT_TYPES, RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { isFoundResource, externalIds } from '../../domain/records/external-ids.ts';
import { recordOfStream } from '../../domain/streams.ts';
import { deleteRows, insertRows, replacing, rowSet } from '../row-set.ts';
import { sameCounts, sameRows } from '../same-rows.ts';
import { createRecordKeysTable, RECORD_KEYS, recordKeysTable } from './tables.ts';

interface RecordKey {
  readonly resource: string;
  readonly recordId: string;
}

const KEY = {
  record_id: ['uuid', ({ recordId }: RecordKey) => recordId],
  resource: ['text', ({ resource }: RecordKey) => resource],
} as const;

/** The last event of each record decides. */
async function fold(batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> {
  const last = new Map<string, StoredEvent>();
  for (const event of batch) last.set(event.stream, event);
  const touched = [...last.values()].flatMap((event) => {
    const { resource, recordId } = recordOfStream(event.stream);
    if (!isFoundResource(resource)) return [];
    const names = event.type === RECORD_PUBLISHED ? externalIds(resource, JSON.parse(event.data) as never) : null;
    return [{ resource, recordId, names }];
  });
  const table = recordKeysTable(generation);
  const gone = touched.filter(({ names }) => names === null);
  if (gone.length > 0) await transaction.execute(deleteRows(table, rowSet(columns, gone, KEY)));
  const named = touched.flatMap(({ names, ...record }) => (names === null ? [] : [{ ...record, ...names }]));
  if (named.length === 0) return;
  const rows = rowSet(columns, named, {
    ...KEY,
    address_key: ['uuid', ({ addressKey }) => addressKey],
    source_record_id: ['text', ({ sourceRecordId }) => sourceRecordId],
    matter_file: ['text', ({ matterFile }) => matterFile],
    title_key: ['uuid', ({ titleKey }) => titleKey],
    local_date: ['text', ({ localDate }) => localDate],
  });
  const others = (alias: string) =>
    rows.names
      .slice(2)
      .map((name) => `${alias}.${name}`)
      .join(', ');
  const changed = `where (${others('t')}) is distinct from (${others('excluded')})`;
  await transaction.execute({
    name: `record_keys_upsert_g${generation}`,
    ...insertRows(table, rows, `${replacing(rows.names, Object.keys(KEY))} ${changed}`),
  });
}

/** Current records by their external ids. */
export const recordKeys: Projection = {
  name: RECORD_KEYS,
  version: 1,
  handles: RECORD_EVENT_TYPES,
  tables: (generation) => [recordKeysTable(generation)],
  create: createRecordKeysTable,
  fold,
  differences: (left, right, depth) =>
    depth === 'rows'
      ? [sameRows(recordKeysTable(left), recordKeysTable(right))]
      : [sameCounts(recordKeysTable(left), recordKeysTable(right))],
};
