import type { ColumnArrays } from '../domain/ports/database.ts';
import type { RecordData, Resource } from '../domain/records/resources.ts';
import type { PublishedRecord } from './record-changes.ts';

export type ColumnType = 'uuid' | 'text' | 'bigint' | 'boolean';

/** A column of a record's row: its type, and its value from the record's `data`. */
export interface RecordColumn {
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

function arrayOf(arrays: ColumnArrays, { type, of }: RecordColumn, published: readonly PublishedRecord[]): Buffer {
  const values = published.map(({ data }) => of(data));
  switch (type) {
    case 'uuid':
      return arrays.uuids(values as (string | null)[]);
    case 'text':
      return arrays.texts(values as (string | null)[]);
    case 'bigint':
      return arrays.bigints(values as (number | null)[]);
    case 'boolean':
      return arrays.booleans(values as boolean[]);
  }
}

/** The columns' names, `unnest(…)` of their values, and these values. */
export const recordRows = (arrays: ColumnArrays, columns: RecordColumns, published: readonly PublishedRecord[]) => ({
  names: columns.map(({ name }) => name).join(', '),
  unnest: `unnest(${columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')})`,
  values: columns.map((column) => arrayOf(arrays, column, published)),
});

/** `on conflict` on the key: every other column gets the new value. */
export const replacing = (names: readonly string[]): string =>
  `on conflict (${names[0]}) do update set ${names
    .slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;
