import { RECORD_EVENT_TYPES, RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { isFoundResource, externalIds } from '../../domain/records/external-ids.ts';
import { recordOfStream } from '../../domain/streams.ts';
import { sameRows } from '../same-rows.ts';
import { createRecordKeysTable, RECORD_KEYS, recordKeysTable } from './tables.ts';

const COLUMNS = ['address_key', 'source_record_id', 'matter_file', 'title_key', 'local_date'] as const;

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
  if (gone.length > 0) {
    await transaction.execute({
      text: `delete from ${table} k using unnest($1::uuid[], $2::text[]) as g (record_id, resource)
        where k.record_id = g.record_id and k.resource = g.resource`,
      values: [columns.uuids(gone.map(({ recordId }) => recordId)), columns.texts(gone.map(({ resource }) => resource))],
    });
  }
  const named = touched.flatMap(({ names, ...record }) => (names === null ? [] : [{ ...record, ...names }]));
  if (named.length === 0) return;
  await transaction.execute({
    name: `record_keys_upsert_g${generation}`,
    text: `insert into ${table} as k (record_id, resource, ${COLUMNS.join(', ')})
      select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::text[])
      on conflict (record_id, resource) do update set ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}
      where (${COLUMNS.map((column) => `k.${column}`).join(', ')}) is distinct from (${COLUMNS.map((column) => `excluded.${column}`).join(', ')})`,
    values: [
      columns.uuids(named.map(({ recordId }) => recordId)),
      columns.texts(named.map(({ resource }) => resource)),
      columns.uuids(named.map(({ addressKey }) => addressKey)),
      columns.texts(named.map(({ sourceRecordId }) => sourceRecordId)),
      columns.texts(named.map(({ matterFile }) => matterFile)),
      columns.uuids(named.map(({ titleKey }) => titleKey)),
      columns.texts(named.map(({ localDate }) => localDate)),
    ],
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
      : [
          {
            text: `select l.rows::text, r.rows::text from (select count(*) as rows from ${recordKeysTable(left)}) l,
              (select count(*) as rows from ${recordKeysTable(right)}) r where l.rows <> r.rows`,
            values: [],
          },
        ],
};
