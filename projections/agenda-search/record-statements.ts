import { deleteRows, insertRows, replacing, rowSet } from '../row-set.ts';
import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import type { PublishedRecord } from '../record-changes.ts';
import { recordRows } from '../record-columns.ts';
import type { SearchRecordTable } from './record-tables.ts';
import { type AgendaSearchTables, agendaSearchTables } from './tables.ts';

// Without names: each statement is planned for the current tables, not for the empty ones of its first use.

const rowOf = (alias: string, names: readonly string[]): string => `(${names.map((name) => `${alias}.${name}`).join(', ')})`;

/** Ids of the published records that are new or changed in these columns. */
export function changedRecords(
  generation: number,
  columns: ColumnArrays,
  { table, columns: all, searched }: SearchRecordTable,
  published: readonly PublishedRecord[],
): Statement {
  const key = all[0].name;
  const wanted = all.filter(({ name }) => name === key || searched.includes(name));
  const { names, unnest, values } = recordRows(columns, wanted, published);
  return {
    text: `select n.${key} from ${unnest} as n (${names.join(', ')}) left join ${agendaSearchTables(generation)[table]} t on t.${key} = n.${key}
      where t.${key} is null or ${rowOf('t', searched)} is distinct from ${rowOf('n', searched)}`,
    values,
  };
}

/** The current texts of these columns, one row per record. */
export const storedTexts = (
  generation: number,
  columns: ColumnArrays,
  { table, columns: all, worded }: SearchRecordTable,
  ids: readonly string[],
): Statement => ({
  text: `select ${worded.map((name) => `t.${name}`).join(', ')} from unnest($1::uuid[]) as x (id)
    join ${agendaSearchTables(generation)[table]} t on t.${all[0].name} = x.id`,
  values: [columns.uuids(ids)],
});

export function upsertRecords(
  generation: number,
  columns: ColumnArrays,
  { table, columns: all }: SearchRecordTable,
  published: readonly PublishedRecord[],
): Statement {
  const rows = recordRows(columns, all, published);
  return insertRows(agendaSearchTables(generation)[table], rows, replacing(rows.names));
}

export const deleteRecords = (
  generation: number,
  columns: ColumnArrays,
  { table, columns: all }: SearchRecordTable,
  withdrawn: readonly string[],
): Statement => deleteRows(agendaSearchTables(generation)[table], rowSet(columns, withdrawn, { [all[0].name]: ['uuid', (id) => id] }));

/** How the items that a record has to do with are found from its id. */
const ITEMS_OF: Readonly<Record<string, (tables: AgendaSearchTables) => string>> = {
  jurisdictions: ({ bodies, meetings, items }) =>
    `join ${bodies} b on b.jurisdiction_id = x.id join ${meetings} m on m.body_id = b.body_id join ${items} i on i.meeting_id = m.meeting_id`,
  bodies: ({ meetings, items }) => `join ${meetings} m on m.body_id = x.id join ${items} i on i.meeting_id = m.meeting_id`,
  meetings: ({ items }) => `join ${items} i on i.meeting_id = x.id`,
  topics: ({ hits }) => `join ${hits} i on i.topic_id = x.id`,
  hits: ({ hits }) => `join ${hits} i on i.hit_id = x.id`,
  documents: ({ documents }) => `join ${documents} i on i.document_id = x.id and i.item_id is not null`,
};

/** Ids of the items that these records have to do with, as the tables stand. */
export const itemsOf = (
  generation: number,
  columns: ColumnArrays,
  table: SearchRecordTable['table'],
  ids: readonly string[],
): Statement => ({
  text: `select distinct i.item_id from unnest($1::uuid[]) as x (id) ${ITEMS_OF[table]!(agendaSearchTables(generation))}`,
  values: [columns.uuids(ids)],
});
