import { RECORD_PUBLISHED } from '../domain/events/record-events.ts';
import type { StoredEvent } from '../domain/ports/event-log.ts';
import type { FoldContext } from '../domain/ports/projection.ts';
import type { Resource } from '../domain/records/resources.ts';
import { plainRecord } from '../domain/records/plain-record.ts';
import { category, streamId } from '../domain/streams.ts';
import { insert, remove, upsert } from './rows.ts';
import type { RecordTable, TableOf } from './tables.ts';

export interface RecordChanges<Records extends TableOf<RecordTable> = TableOf<RecordTable>> {
  readonly table: Records;
  /** `data` belongs to the resource of the table. */
  readonly published: readonly { readonly id: string; readonly data: never; readonly isNew: boolean }[];
  readonly withdrawn: readonly string[];
  /** Ids of published and withdrawn records. */
  readonly ids: readonly string[];
}

/** Returns the last event of each stream, which decides the state of its record. */
export const selectLastEvents = (batch: readonly StoredEvent[]): Iterable<StoredEvent> =>
  new Map(batch.map((event) => [event.stream, event])).values();

/** Returns the streams that begin in the batch. Their records have no earlier rows. */
export const findNewStreams = (batch: readonly StoredEvent[]): ReadonlySet<string> =>
  new Set(batch.filter(({ revision }) => revision === 0).map(({ stream }) => stream));

/** Returns the changes in the order of the tables, without unchanged resources. Pure. */
export function collectRecordChanges<Records extends TableOf<RecordTable>>(
  tables: readonly Records[],
  batch: readonly StoredEvent[],
  content: FoldContext['content'],
): ReadonlyMap<Resource, RecordChanges<Records>> {
  const newStreams = findNewStreams(batch);
  const events = Map.groupBy(selectLastEvents(batch), ({ stream }) => category(stream));
  const changes = tables.flatMap((table): [Resource, RecordChanges<Records>][] => {
    const ofTable = events.get(table.resource);
    if (ofTable === undefined) return [];
    const published = ofTable
      .filter(({ type }) => type === RECORD_PUBLISHED)
      .map((event) => ({
        id: streamId(event.stream),
        data: plainRecord(content(event)) as never,
        isNew: newStreams.has(event.stream),
      }));
    const withdrawn = ofTable.filter(({ type }) => type !== RECORD_PUBLISHED).map(({ stream }) => streamId(stream));
    return [[table.resource, { table, published, withdrawn, ids: [...published.map(({ id }) => id), ...withdrawn] }]];
  });
  return new Map(changes);
}

export async function writeRecords(
  context: FoldContext,
  { table, published, withdrawn }: RecordChanges,
): Promise<void> {
  const keys = withdrawn.map((id) => ({ [table.id]: id }));
  await remove(context, table, keys);
  const listRows = (isNew: boolean) =>
    published.filter((one) => one.isNew === isNew).map(({ data }) => table.row(data));
  const [inserted, replaced] = [listRows(true), listRows(false)];
  await insert(context, table, inserted);
  await upsert(context, table, replaced);
}
