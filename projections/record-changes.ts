import { RECORD_PUBLISHED } from '../domain/events/record-events.ts';
import type { StoredEvent } from '../domain/ports/event-log.ts';
import type { FoldContext } from '../domain/ports/projection.ts';
import type { Resource } from '../domain/records/resources.ts';
import { category, streamId } from '../domain/streams.ts';
import { insert, remove, upsert } from './rows.ts';
import type { RecordTable, TableOf } from './tables.ts';

export interface RecordChanges<Records extends TableOf<RecordTable> = TableOf<RecordTable>> {
  readonly table: Records;
  /** `data` is of the resource of the table. */
  readonly published: readonly { readonly id: string; readonly data: never; readonly isNew: boolean }[];
  readonly withdrawn: readonly string[];
  /** Of both. */
  readonly ids: readonly string[];
}

/** The last event of a stream decides what becomes of a record. */
export const lastOfEach = (batch: readonly StoredEvent[]): Iterable<StoredEvent> =>
  new Map(batch.map((event) => [event.stream, event])).values();

/** The streams that begin in the batch: no row of their records is older. */
export const begunIn = (batch: readonly StoredEvent[]): ReadonlySet<string> =>
  new Set(batch.filter(({ revision }) => revision === 0).map(({ stream }) => stream));

/** In the order of the tables, without resources that do not change. Pure. */
export function recordChangesOf<Records extends TableOf<RecordTable>>(
  tables: readonly Records[],
  batch: readonly StoredEvent[],
  content: FoldContext['content'],
): ReadonlyMap<Resource, RecordChanges<Records>> {
  const begun = begunIn(batch);
  const events = Map.groupBy(lastOfEach(batch), ({ stream }) => category(stream));
  const changes = tables.flatMap((table): [Resource, RecordChanges<Records>][] => {
    const ofTable = events.get(table.resource);
    if (ofTable === undefined) return [];
    const published = ofTable
      .filter(({ type }) => type === RECORD_PUBLISHED)
      .map((event) => ({ id: streamId(event.stream), data: content(event) as never, isNew: begun.has(event.stream) }));
    const withdrawn = ofTable.filter(({ type }) => type !== RECORD_PUBLISHED).map(({ stream }) => streamId(stream));
    return [[table.resource, { table, published, withdrawn, ids: [...published.map(({ id }) => id), ...withdrawn] }]];
  });
  return new Map(changes);
}

export async function writeRecords(context: FoldContext, { table, published, withdrawn }: RecordChanges): Promise<void> {
  const gone = withdrawn.map((id) => ({ [table.id]: id }));
  await remove(context, table, gone);
  const rowsOf = (isNew: boolean) => published.filter((one) => one.isNew === isNew).map(({ data }) => table.row(data));
  const [made, replaced] = [rowsOf(true), rowsOf(false)];
  await insert(context, table, made);
  await upsert(context, table, replaced);
}
