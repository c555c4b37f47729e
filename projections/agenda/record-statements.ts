import type { ColumnArrays, Statement } from '../../src/domain/ports/database.ts';
import type { RecordChanges } from './record-changes.ts';
import type { RecordColumn, RecordTable } from './record-tables.ts';
import { agendaTables } from './tables.ts';

type Published = RecordChanges['published'];

const arrayOf = (columns: ColumnArrays, { type, of }: RecordColumn, published: Published): Buffer => {
  const values = published.map(({ data }) => of(data));
  switch (type) {
    case 'uuid':
      return columns.uuids(values as (string | null)[]);
    case 'text':
      return columns.texts(values as (string | null)[]);
    case 'bigint':
      return columns.bigints(values as (number | null)[]);
    case 'boolean':
      return columns.booleans(values as boolean[]);
  }
};

/** The columns' names, `unnest(…)` of their values, and these values. */
export const recordRows = (columns: ColumnArrays, record: RecordTable, published: Published) => ({
  names: record.columns.map(({ name }) => name).join(', '),
  unnest: `unnest(${record.columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')})`,
  values: record.columns.map((column) => arrayOf(columns, column, published)),
});

/** `on conflict` of the key: every other column takes the new value. */
export const replacing = (names: readonly string[]): string =>
  `on conflict (${names[0]}) do update set ${names
    .slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;

export const upsertRecords = (generation: number, columns: ColumnArrays, record: RecordTable, published: Published): Statement => {
  const { names, unnest, values } = recordRows(columns, record, published);
  return {
    name: `agenda_upsert_${record.table}_g${generation}`,
    text: `insert into ${agendaTables(generation)[record.table]} (${names}) select * from ${unnest} ${replacing(record.columns.map(({ name }) => name))}`,
    values,
  };
};

/** Without a name, so that it is planned for the table as it is and not as it was when it was empty. */
export const deleteRecords = (generation: number, columns: ColumnArrays, record: RecordTable, withdrawn: readonly string[]): Statement => ({
  text: `delete from ${agendaTables(generation)[record.table]} t using unnest($1::uuid[]) as w (id) where t.${record.columns[0].name} = w.id`,
  values: [columns.uuids(withdrawn)],
});
