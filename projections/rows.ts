import type { ColumnArrays, TextRow } from '../domain/ports/database.ts';
import type { FoldContext } from '../domain/ports/projection.ts';
import type { Row, Table, TableOf } from './tables.ts';

const ARRAYS = { uuid: 'uuids', text: 'texts', bigint: 'bigints', boolean: 'booleans', bytea: 'bytes' } as const;

/** Rows `r` as the parameters of a statement, one array per column from `$1` on. At least one row; all have the columns of the first. */
export function rowSet(arrays: ColumnArrays, { columns }: Pick<Table, 'columns'>, rows: readonly Row[]) {
  const names = Object.keys(rows[0]!);
  const types = names.map((name) => columns[name]!.split(' ', 1)[0] as keyof typeof ARRAYS);
  return {
    names,
    unnest: `unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')}) as r (${names.join(', ')})`,
    values: types.map((type, index) => arrays[ARRAYS[type]](rows.map((row) => row[names[index]!]) as never)),
  };
}

export async function insert(
  { transaction, columns, generation }: FoldContext,
  table: TableOf,
  rows: readonly Row[],
  after: string | ((names: readonly string[]) => string) = '',
): Promise<void> {
  if (rows.length === 0) return;
  const { names, unnest, values } = rowSet(columns, table, rows);
  const into = table.at(generation);
  const end = typeof after === 'string' ? after : after(names);
  await transaction.execute({
    name: `${end === '' ? 'insert' : 'upsert'}_${into}`,
    text: `insert into ${into} as t (${names.join(', ')}) select * from ${unnest} ${end}`,
    values,
  });
}

/** `on conflict` on the key: every other column gets the new value, where one differs. */
export function replacing({ key }: Table, names: readonly string[]): string {
  const others = names.filter((name) => !(key ?? names.slice(0, 1)).includes(name));
  const of = (row: string) => others.map((name) => `${row}.${name}`).join(', ');
  return `on conflict (${(key ?? names.slice(0, 1)).join(', ')}) do update set (${others.join(', ')}) = row(${of('excluded')})
    where (${of('t')}) is distinct from (${of('excluded')})`;
}

export const upsert = (context: FoldContext, table: TableOf, rows: readonly Row[]): Promise<void> =>
  insert(context, table, rows, (names) => replacing(table, names));

/** For `update`: columns that keep the stored value where the new one is null. */
export const unlessNull = (...names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, `coalesce(r.${name}, t.${name})`]));

/**
 * Writes the columns of the rows `r` into the rows `t` with the same first column; of several rows with one key the last counts, as it does
 * when each is of another batch. `special` holds the expressions of columns that do not just get the new value. Resolves to what the
 * statement returns.
 */
export async function update(
  { transaction, columns, generation }: FoldContext,
  table: TableOf,
  rows: readonly Row[],
  special: Readonly<Record<string, string>> = {},
  returning = '',
): Promise<readonly TextRow[]> {
  if (rows.length === 0) return [];
  const [key, ...rest] = Object.keys(rows[0]!);
  // Of several rows that match one, PostgreSQL takes any.
  const { unnest, values } = rowSet(columns, table, [...new Map(rows.map((row) => [row[key!], row])).values()]);
  const set = rest.map((name) => `${name} = ${special[name] ?? `r.${name}`}`).join(', ');
  const text = `update ${table.at(generation)} t set ${set} from ${unnest} where t.${key} = r.${key} ${returning}`;
  return (await transaction.execute({ text, values })).rows;
}

/** Deletes the rows that equal one of these in its columns. Without a name: it is planned for the current table, not for an empty one. */
export async function remove({ transaction, columns, generation }: FoldContext, table: TableOf, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const { names, unnest, values } = rowSet(columns, table, rows);
  const equal = names.map((name) => `t.${name} = r.${name}`).join(' and ');
  await transaction.execute({ text: `delete from ${table.at(generation)} t using ${unnest} where ${equal}`, values });
}
