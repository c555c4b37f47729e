import { type ColumnType, type RowSet, rowSet } from './row-set.ts';
import type { ColumnArrays } from '../domain/ports/database.ts';
import type { RecordData, Resource } from '../domain/records/resources.ts';
import { RECORD_PUBLISHED } from '../domain/events/record-events.ts';
import type { StoredEvent } from '../domain/ports/event-log.ts';
import { category, streamId } from '../domain/streams.ts';

export interface PublishedRecord {
  readonly id: string;
  /** As published; which resource it is of, the reader of its columns knows. */
  readonly data: never;
}

/** What a batch leaves of the records of one resource. */
export interface RecordChanges {
  /** The `data` of each record that it leaves published. */
  readonly published: readonly PublishedRecord[];
  /** Ids of the records that it leaves withdrawn. */
  readonly withdrawn: readonly string[];
}

/** The records that a batch changes, by resource: the last event of each decides. Resources without a change are left out. Pure. */
export function recordChangesOf<R extends Resource>(resources: readonly R[], batch: readonly StoredEvent[]): ReadonlyMap<R, RecordChanges> {
  const isWanted = (name: string): name is R => (resources as readonly string[]).includes(name);
  const last = new Map<string, StoredEvent>();
  for (const event of batch) last.set(event.stream, event);
  const changes = new Map<R, { published: PublishedRecord[]; withdrawn: string[] }>();
  for (const event of last.values()) {
    const resource = category(event.stream);
    if (!isWanted(resource)) continue;
    let change = changes.get(resource);
    if (change === undefined) changes.set(resource, (change = { published: [], withdrawn: [] }));
    const id = streamId(event.stream);
    if (event.type === RECORD_PUBLISHED) change.published.push({ id, data: JSON.parse(event.data) as never });
    else change.withdrawn.push(id);
  }
  return changes;
}

/** A column of a record's row: its type, and its value from the record's `data`. */
interface RecordColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly of: (data: never) => string | number | boolean | null;
}

/** A record's columns; the first is the key, the record's id. */
export type RecordColumns = readonly [RecordColumn, ...RecordColumn[]];

type Of<R extends Resource, Value> = (data: RecordData<R>) => Value;

const milliseconds = (time: string): number => Date.parse(time);

/** The columns of one resource's rows. Times become milliseconds since the epoch. */
export function columnsOf<R extends Resource>(
  make: (column: {
    readonly uuid: (name: string, of: Of<R, string>) => RecordColumn;
    readonly maybeUuid: (name: string, of: Of<R, string | null>) => RecordColumn;
    readonly text: (name: string, of: Of<R, string>) => RecordColumn;
    readonly maybeText: (name: string, of: Of<R, string | null>) => RecordColumn;
    readonly number: (name: string, of: Of<R, number>) => RecordColumn;
    readonly flag: (name: string, of: Of<R, boolean>) => RecordColumn;
    readonly time: (name: string, of: Of<R, string>) => RecordColumn;
    readonly maybeTime: (name: string, of: Of<R, string | null>) => RecordColumn;
  }) => RecordColumns,
): RecordColumns {
  const column =
    (type: ColumnType, nullable: boolean) =>
    (name: string, of: Of<R, string | number | boolean | null>): RecordColumn => ({ name, type, nullable, of });
  return make({
    uuid: column('uuid', false),
    maybeUuid: column('uuid', true),
    text: column('text', false),
    maybeText: column('text', true),
    number: column('bigint', false),
    flag: column('boolean', false),
    time: (name, of) => column('bigint', false)(name, (data) => milliseconds(of(data))),
    maybeTime: (name, of) =>
      column('bigint', true)(name, (data) => {
        const time = of(data);
        return time === null ? null : milliseconds(time);
      }),
  });
}

/** For a `create table`: the first column is the primary key. */
export const columnDefinitions = (columns: RecordColumns): string =>
  columns
    .map(
      ({ name, type, nullable }, index) =>
        `${name} ${type}${type === 'text' ? ' collate "C"' : ''}${index === 0 ? ' primary key' : nullable ? '' : ' not null'}`,
    )
    .join(', ');

/** The rows of published records. */
export const recordRows = (arrays: ColumnArrays, columns: readonly RecordColumn[], published: readonly PublishedRecord[]): RowSet =>
  rowSet(arrays, published, Object.fromEntries(columns.map(({ name, type, of }) => [name, [type, ({ data }) => of(data)]])));
