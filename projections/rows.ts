import type { FoldContext } from '../domain/ports/projection.ts';
import type { Row, Table, TableOf } from './tables.ts';

/**
 * Binds rows `r` as parameters of a statement, one array per column from `$1` on. Needs at least one row; all have the
 * columns of the first.
 */
export function bindRows({ columns }: Pick<Table, 'columns'>, rows: readonly Row[]) {
  const names = Object.keys(rows[0]!);
  const types = names.map((name) => columns[name]!.split(' ', 1)[0]!);
  return {
    names,
    unnest: `unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')}) as r (${names.join(', ')})`,
    values: names.map((name) => rows.map((row) => row[name]!)),
  };
}

export async function insert(
  { transaction, generation }: FoldContext,
  table: TableOf,
  rows: readonly Row[],
  after: string | ((names: readonly string[]) => string) = '',
): Promise<void> {
  if (rows.length === 0) return;
  const { names, unnest, values } = bindRows(table, rows);
  const into = table.at(generation);
  const end = typeof after === 'string' ? after : after(names);
  await transaction.query({
    name: `${end === '' ? 'insert' : 'upsert'}_${into}`,
    text: `insert into ${into} as t (${names.join(', ')}) select * from ${unnest} ${end}`,
    values,
  });
}

/** Returns an `on conflict` clause on the key that sets all other columns if one differs. */
export function replacing({ key }: Table, names: readonly string[]): string {
  const others = names.filter((name) => !(key ?? names.slice(0, 1)).includes(name));
  const of = (row: string) => others.map((name) => `${row}.${name}`).join(', ');
  return `on conflict (${(key ?? names.slice(0, 1)).join(', ')}) do update set (${others.join(', ')}) = row(${of('excluded')})
    where (${of('t')}) is distinct from (${of('excluded')})`;
}

export const upsert = (context: FoldContext, table: TableOf, rows: readonly Row[]): Promise<void> =>
  insert(context, table, rows, (names) => replacing(table, names));

/** Returns expressions of an `update` that keep the stored value if the new one is null. */
export const unlessNull = (...names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, `coalesce(r.${name}, t.${name})`]));

/**
 * Updates rows `t` from rows `r` with the same first column. If several rows have one key, the last one counts, as it
 * would across batches. `special` has the expressions of columns that do not simply receive the new value. Resolves to
 * what the statement returns.
 */
export async function update<Returned>(
  { transaction, generation }: FoldContext,
  table: TableOf,
  rows: readonly Row[],
  special: Readonly<Record<string, string>> = {},
  returning = '',
): Promise<readonly Returned[]> {
  if (rows.length === 0) return [];
  const [key, ...rest] = Object.keys(rows[0]!);
  // If several rows matched one, PostgreSQL would use any of them.
  const { unnest, values } = bindRows(table, [...new Map(rows.map((row) => [row[key!], row])).values()]);
  const set = rest.map((name) => `${name} = ${special[name] ?? `r.${name}`}`).join(', ');
  const text = `update ${table.at(generation)} t set ${set} from ${unnest} where t.${key} = r.${key} ${returning}`;
  return (await transaction.query<Returned>({ text, values })).rows;
}

/**
 * Deletes the rows that equal one of these in its columns. Has no name, so that it is planned for the current table
 * rather than an empty one.
 */
export async function remove(
  { transaction, generation }: FoldContext,
  table: TableOf,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const { names, unnest, values } = bindRows(table, rows);
  const equal = names.map((name) => `t.${name} = r.${name}`).join(' and ');
  await transaction.query({ text: `delete from ${table.at(generation)} t using ${unnest} where ${equal}`, values });
}
