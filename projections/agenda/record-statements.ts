import type { ColumnArrays, Statement } from '../../src/domain/ports/database.ts';
import type { PublishedRecord } from '../record-changes.ts';
import { recordRows, replacing } from '../record-columns.ts';
import type { RecordTable } from './record-tables.ts';
import { agendaTables } from './tables.ts';

export const upsertRecords = (
  generation: number,
  columns: ColumnArrays,
  record: RecordTable,
  published: readonly PublishedRecord[],
): Statement => {
  const { names, unnest, values } = recordRows(columns, record.columns, published);
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
