import type { ColumnArrays, Statement } from '../domain/ports/database.ts';

export type ColumnType = 'uuid' | 'text' | 'bigint' | 'boolean' | 'bytea';
type Value = string | number | bigint | boolean | Uint8Array | null;

/** Rows as the parameters of a statement: `unnest` takes them, one array per column, from `$1` on. */
export interface RowSet {
  readonly names: readonly string[];
  /** `unnest(…)`, without an alias. */
  readonly unnest: string;
  readonly values: readonly Buffer[];
}

function arrayOf(arrays: ColumnArrays, type: ColumnType, values: readonly Value[]): Buffer {
  switch (type) {
    case 'uuid':
      return arrays.uuids(values as (string | null)[]);
    case 'text':
      return arrays.texts(values as (string | null)[]);
    case 'bigint':
      return arrays.bigints(values as (number | bigint | null)[]);
    case 'boolean':
      return arrays.booleans(values as boolean[]);
    case 'bytea':
      return arrays.bytes(values as (Uint8Array | null)[]);
  }
}

/** The rows with these columns: the type of each, and its value from a row. */
export function rowSet<Row>(
  arrays: ColumnArrays,
  rows: readonly Row[],
  columns: Readonly<Record<string, readonly [type: ColumnType, of: (row: Row) => Value]>>,
): RowSet {
  const all = Object.values(columns);
  return {
    names: Object.keys(columns),
    unnest: `unnest(${all.map(([type], index) => `$${index + 1}::${type}[]`).join(', ')})`,
    values: all.map(([type, of]) => arrayOf(arrays, type, rows.map(of))),
  };
}

/** Inserts the rows; `after` may hold what to do on a conflict. */
export const insertRows = (table: string, { names, unnest, values }: RowSet, after = ''): Statement => ({
  text: `insert into ${table} as t (${names.join(', ')}) select * from ${unnest} ${after}`,
  values,
});

/**
 * Writes the columns of the rows `r` into the rows `t` of the table with the same first column. `special` holds the expressions of columns
 * that do not just get the new value.
 */
export function updateRows(table: string, { names, unnest, values }: RowSet, special: Readonly<Record<string, string>> = {}): Statement {
  const [key, ...rest] = names;
  return {
    text: `update ${table} t set ${rest.map((name) => `${name} = ${special[name] ?? `r.${name}`}`).join(', ')}
      from ${unnest} as r (${names.join(', ')}) where t.${key} = r.${key}`,
    values,
  };
}

/** Deletes the rows of the table that equal one of the rows in its columns. */
export const deleteRows = (table: string, { names, unnest, values }: RowSet): Statement => ({
  text: `delete from ${table} t using ${unnest} as r (${names.join(', ')}) where ${names.map((name) => `t.${name} = r.${name}`).join(' and ')}`,
  values,
});

/** `on conflict` on the key: every other column gets the new value. */
export const replacing = (names: readonly string[], key = names.slice(0, 1)): string =>
  `on conflict (${key.join(', ')}) do update set ${names
    .filter((name) => !key.includes(name))
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;
