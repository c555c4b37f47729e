import { generationTable } from '../domain/ports/projection.ts';
import type { RecordData, Resource } from '../domain/records/resources.ts';

type ColumnType = 'uuid' | 'text' | 'bigint' | 'boolean' | 'bytea' | 'tsvector';
export type Value = string | number | bigint | boolean | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;
/** SQL of a column, beginning with its type. */
type Column = ColumnType | `${ColumnType} ${string}`;

export const ID = 'uuid primary key';
export const UUID = 'uuid not null';
export const MAYBE_TEXT = 'text collate "C"';
export const TEXT = `${MAYBE_TEXT} not null` as const;
export const NUMBER = 'bigint not null';
export const FLAG = 'boolean not null';

/** Converts an ISO 8601 time to milliseconds since the epoch. */
export const milliseconds = (time: string | null | undefined): number | null =>
  time == null ? null : Date.parse(time);

/** A table that exists in each generation of a projection. */
export interface Table {
  readonly columns: Readonly<Record<string, Column>>;
  /** Columns of a key with several columns. */
  readonly key?: readonly string[];
  /** Definitions of indexes after `on <table>`, by name suffix. */
  readonly indexes?: Readonly<Record<string, string>>;
  /** Returns more DDL of the table with this full name; `index` makes the name of an index from its suffix. */
  readonly more?: (table: string, index: (what: string) => string) => readonly string[];
  /** The table has the name of the projection, without a suffix. */
  readonly isMain?: true;
  /** Set if the table is too large to be compared row by row at a switch: rows are then counted by these columns. */
  readonly countedBy?: readonly string[];
}

/** A table definition with its full name in a generation. */
export type TableOf<Definition extends Table = Table> = Definition & { readonly at: (generation: number) => string };

/** The tables of a projection. Times in columns are milliseconds since the epoch. */
export interface ReadModel<Definitions extends Readonly<Record<string, Table>> = Readonly<Record<string, Table>>> {
  readonly name: string;
  readonly tables: { readonly [Part in keyof Definitions]: TableOf<Definitions[Part]> };
  /** Returns the full names of the tables of a generation. */
  readonly at: (generation: number) => { readonly [Part in keyof Definitions]: string };
}

export function readModel<const Definitions extends Readonly<Record<string, Table>>>(
  name: string,
  definitions: Definitions,
): ReadModel<Definitions> {
  const tables = Object.entries(definitions).map(([part, table]): [string, TableOf] => {
    const suffix = table.isMain ? undefined : part.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [part, { ...table, at: (generation) => generationTable(name, generation, suffix) }];
  });
  return {
    name,
    tables: Object.fromEntries(tables) as ReadModel<Definitions>['tables'],
    at: (generation) =>
      Object.fromEntries(tables.map(([part, { at }]) => [part, at(generation)])) as ReturnType<
        ReadModel<Definitions>['at']
      >,
  };
}

export function createTable({ at, columns, key, indexes = {}, more }: TableOf, generation: number): readonly string[] {
  const table = at(generation);
  const index = (what: string) => `${table.replace('civic.', '')}_${what}`;
  const lines = Object.entries(columns).map(([column, definition]) => `${column} ${definition}`);
  return [
    `create table ${table} (${[...lines, ...(key === undefined ? [] : [`primary key (${key.join(', ')})`])].join(', ')})`,
    ...Object.entries(indexes).map(([what, on]) => `create index ${index(what)} on ${table} ${on}`),
    ...(more?.(table, index) ?? []),
  ];
}

export interface RecordTable extends Table {
  readonly resource: Resource;
  /** Name of the first column. */
  readonly id: string;
  /** Returns the row of a published record from its `data`. */
  readonly row: (data: never) => Row;
}

/** Defines each column, the id first, with its value from the `data` of a record. */
export function recordTable<R extends Resource, const Other extends Omit<Table, 'columns'> = object>(
  resource: R,
  columns: Readonly<Record<string, readonly [Column, (data: RecordData<R>) => Value]>>,
  other: Other = {} as Other,
): RecordTable & Other {
  const all = Object.entries(columns);
  return {
    ...other,
    resource,
    id: all[0]![0],
    columns: Object.fromEntries(all.map(([name, [definition]]) => [name, definition])),
    row(data) {
      const row: Record<string, Value> = {};
      for (const [name, [, of]] of all) row[name] = of(data);
      return row;
    },
  };
}
