import { columnDefinitions } from '../record-columns.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { agendaSearchTables } from './tables.ts';

export function createAgendaSearchTables(generation: number): readonly string[] {
  const tables = agendaSearchTables(generation);
  const indexName = (table: string, what: string) => `${table.replace('civic.', '')}_${what}`;
  const index = (table: string, what: string, on: string) => `create index ${indexName(table, what)} on ${table} ${on}`;
  const { jurisdictions, bodies, sources, topics, meetings, items, hits, documents, entries, periods, words } = tables;
  return [
    ...Object.values(RECORD_TABLES).map(({ table, columns }) => `create table ${tables[table]} (${columnDefinitions(columns)})`),
    index(jurisdictions, 'by_slug', '(slug, created_at, jurisdiction_id)'),
    index(bodies, 'by_jurisdiction', '(jurisdiction_id)'),
    index(sources, 'by_body', '(body_id)'),
    index(topics, 'by_slug', '(slug, created_at, topic_id)'),
    index(meetings, 'by_body', '(body_id)'),
    index(items, 'by_meeting', '(meeting_id)'),
    index(hits, 'by_item', '(item_id)'),
    index(hits, 'by_topic', '(topic_id)'),
    index(documents, 'by_item', '(item_id)'),
    `create table ${entries} (
      item_id uuid primary key,
      starts_at bigint not null,
      day bigint not null,
      period bigint not null,
      words tsvector not null
    )`,
    index(entries, 'words', 'using gin (words)'),
    `create table ${periods} (period bigint primary key, entries bigint not null)`,
    `create table ${words} (word text collate "C" primary key, stem text collate "C" not null, records bigint not null) with (fillfactor = 80)`,
    index(words, 'by_stem', '(stem)'),
    `select civic.index_near_words('${words}', '${indexName(words, 'near')}')`,
  ];
}
