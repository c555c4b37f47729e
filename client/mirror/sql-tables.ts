import {
  columnName,
  type ColumnType,
  indexedFields,
  type MirrorColumn,
  type MirrorTables,
  SEARCHED_FIELDS,
} from './columns.ts';
import { type FactDialect, selectSpending } from './spending.ts';

/** Differences between the databases that store a mirror. */
export interface Dialect extends FactDialect {
  readonly types: Readonly<Record<ColumnType, string>>;
  /** Returns SQL for the value of a column; `text` is SQL for the text of the field, which may be null. */
  readonly value: (type: ColumnType, text: string) => string;
  /** Type of the column with the record's JSON. */
  readonly json: string;
  /** True if references to missing rows are allowed, so that tables can declare foreign keys. */
  readonly looseReferences: boolean;
  /** Returns SQL for the time this many hours ago, in the type of a timestamp column. */
  readonly hoursAgo: (hours: number) => string;
}

export const quoted = (name: string): string => `"${name}"`;
const column = ({ field }: MirrorColumn): string => quoted(columnName(field));

export function columnDefinition(
  { looseReferences, types }: Dialect,
  { field, type, references }: MirrorColumn,
): string {
  const reference = references === undefined || !looseReferences ? '' : ` references ${quoted(references)} (id)`;
  return `${quoted(columnName(field))} ${types[type]}${field === 'id' ? ' not null primary key' : reference}`;
}

export const createTable = (dialect: Dialect, table: string, columns: readonly MirrorColumn[]): string =>
  `create table ${quoted(table)} (${columns.map((each) => columnDefinition(dialect, each)).join(', ')}, data ${dialect.json} not null)`;

export const createIndexes = (table: string, columns: readonly MirrorColumn[]): readonly string[] =>
  indexedFields(columns).map(
    (field) =>
      `create index if not exists ${quoted(`${table}_${columnName(field)}`)} on ${quoted(table)} (${quoted(columnName(field))})`,
  );

/** Names of the columns that the search of a table reads. */
export const searchedColumns = (table: string): readonly string[] => (SEARCHED_FIELDS[table] ?? []).map(columnName);

const valueOf = ({ value }: Dialect, { field, type }: MirrorColumn): string =>
  field === 'id' ? 'r.id' : value(type, `(r.data ->> '${field}')`);

/** Upserts the rows of `source`, which has `id` and `data`, into a table. `condition` refers to them as `r`. */
export function upsertFrom(
  dialect: Dialect,
  table: string,
  columns: readonly MirrorColumn[],
  source: string,
  condition = 'true',
): string {
  const names = [...columns.map(column), 'data'];
  const values = [...columns.map((each) => valueOf(dialect, each)), 'r.data'];
  const updates = names.slice(1).map((name) => `${name} = excluded.${name}`);
  return `insert into ${quoted(table)} (${names.join(', ')}) select ${values.join(', ')} from ${source} as r where ${condition}
    on conflict (id) do update set ${updates.join(', ')}`;
}

/** Refills every column of a table from the record's JSON. */
export function refill(dialect: Dialect, table: string, columns: readonly MirrorColumn[]): string {
  const updates = columns.slice(1).map((each) => `${column(each)} = ${valueOf(dialect, each)}`);
  return `update ${quoted(table)} as r set ${updates.join(', ')}`;
}

/** Selects one row whose columns differ from its JSON: its id, and for each other column whether it differs. */
export function staleRow(dialect: Dialect, table: string, columns: readonly MirrorColumn[]): string {
  const names = columns.slice(1).map(column);
  const differs = columns.slice(1).map((each) => `${column(each)} is distinct from ${valueOf(dialect, each)}`);
  const compared = differs.map((condition, at) => `${condition} as ${names[at]!}`);
  return `select * from (select r.id as id, ${compared.join(', ')} from ${quoted(table)} as r) as s where ${names.join(' or ')} limit 1`;
}

export function describeStale(row: Readonly<Record<string, unknown>> | undefined): string | null {
  if (row === undefined) return null;
  const { id, ...differs } = row;
  const names = Object.keys(differs).filter((name) => Boolean(differs[name]));
  return `${String(id)} differs in the ${names.length === 1 ? 'column' : 'columns'} ${names.join(', ')}`;
}

/** Selects the rows of one resource from a table of all resources, as a source for `upsertFrom`. */
export const rowsOf = (table: 'civic_records' | 'civic_records_fresh', resource: string): string =>
  `(select id, data from ${table} where resource = '${resource}')`;

/** Replaces the tables with the new copy in `civic_records_fresh`: deletes missing records and writes those that differ. */
export const finishCopy = (dialect: Dialect, tables: MirrorTables): readonly string[] =>
  Object.entries(tables).flatMap(([table, columns]) => [
    `delete from ${quoted(table)} as t where not exists (select 1 from ${rowsOf('civic_records_fresh', table)} as r where r.id = t.id)`,
    upsertFrom(
      dialect,
      table,
      columns,
      rowsOf('civic_records_fresh', table),
      `not exists (select 1 from ${quoted(table)} as t where t.id = r.id and cast(t.data as text) = cast(r.data as text)
        and ${columns.map((each) => `t.${column(each)} is not distinct from ${valueOf(dialect, each)}`).join(' and ')})`,
    ),
  ]);

/** All records as one untyped table, the form of earlier mirrors. */
const allRecords = (tables: MirrorTables): string =>
  Object.keys(tables)
    .map((table) => `select '${table}' as resource, id, data from ${quoted(table)}`)
    .join(' union all ');

const WHERE_AND_WHEN = `j.name as jurisdiction, j.slug as jurisdiction_slug, b.name as body, m.title as meeting, m.starts_at, m.timezone,
    m.status as meeting_status`;
const PLACES =
  'left join public_bodies b on b.id = m.public_body_id left join jurisdictions j on j.id = b.jurisdiction_id';

/** Views by name. Later versions may only add columns at the end. */
export const viewsOf = (dialect: Dialect, tables: MirrorTables): Readonly<Record<string, string>> => ({
  civic_records: allRecords(tables),
  upcoming_items: `select ${WHERE_AND_WHEN}, m.location, i.sequence, i.agenda_number, i.title, i.text, i.matter_file, i.matter_type,
      i.source_url, i.id as agenda_item_id, m.id as meeting_id
    from agenda_items i join meetings m on m.id = i.meeting_id ${PLACES}
    where m.status not in ('cancelled', 'postponed') and m.starts_at >= ${dialect.hoursAgo(24)}
      and (m.starts_at >= ${dialect.hoursAgo(0)} or m.start_time ->> 'status' = 'not_stated') and coalesce(i.kind, 'item') = 'item'
    order by m.starts_at, m.id, i.sequence`,
  hits_with_topic: `select t.name as topic, t.slug as topic_slug, ${WHERE_AND_WHEN}, i.title as item, h.summary, h.business_impact,
      h.evidence_quote, h.confidence, h.procedural_context ->> 'proceduralStage' as procedural_stage,
      h.procedural_context ->> 'nextMeetingDate' as next_meeting_date, h.procedural_context ->> 'actionUrl' as action_url,
      h.classified_at, i.source_url, h.id as agenda_hit_id, h.topic_id, h.agenda_item_id, m.id as meeting_id
    from agenda_hits h left join topics t on t.id = h.topic_id left join agenda_items i on i.id = h.agenda_item_id
      left join meetings m on m.id = i.meeting_id ${PLACES}
    order by m.starts_at desc, h.id`,
  meeting_agendas: `select ${WHERE_AND_WHEN}, a.stage, a.published_at, a.item_count, a.text_evidence, d.url as document_url,
      a.source_url as agenda_url, m.source_url as meeting_url, m.id as meeting_id, a.id as agenda_id
    from meetings m left join agendas a on a.meeting_id = m.id left join documents d on d.id = a.document_id ${PLACES}
    order by m.starts_at desc, m.id, a.published_at`,
  spending: selectSpending(dialect),
});
