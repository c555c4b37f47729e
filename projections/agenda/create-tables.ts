import { columnDefinitions } from '../record-columns.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { agendaTables } from './tables.ts';

/** What a hit's row holds beyond its own record; all null and not listed while its item or meeting is not there. */
const RESOLVED = 'meeting_id uuid, body_id uuid, starts_at bigint, context text collate "C", listed boolean not null';

export function createAgendaTables(generation: number): readonly string[] {
  const tables = agendaTables(generation);
  const index = (table: string, what: string) => `${table.replace('civic.', '')}_${what} on ${table}`;
  const { jurisdictions, bodies, meetings, hits, coveredBodies, coveredTopics } = tables;
  return [
    ...Object.values(RECORD_TABLES).map(
      (record) =>
        `create table ${tables[record.table]} (${columnDefinitions(record.columns)}${record.table === 'hits' ? `, ${RESOLVED}` : ''})`,
    ),
    `create index ${index(jurisdictions, 'by_slug')} (slug, created_at, jurisdiction_id)`,
    `create index ${index(bodies, 'by_slug')} (jurisdiction_id, slug, created_at, body_id)`,
    `create index ${index(meetings, 'cadence')} (body_id, starts_at, source_id) where on_calendar`,
    `create index ${index(hits, 'by_item')} (item_id)`,
    `create index ${index(hits, 'by_meeting')} (meeting_id)`,
    `create index ${index(hits, 'recent')} (body_id, listed, topic_id, classified_at desc, starts_at desc, hit_id)`,
    `create index ${index(hits, 'upcoming')} (topic_id, starts_at, classified_at, hit_id) where listed`,
    `create table ${coveredBodies} (
      body_id uuid primary key,
      jurisdiction_slug text collate "C" not null,
      body_slug text collate "C" not null,
      jurisdiction_name text collate "C" not null,
      body_name text collate "C" not null,
      timezone text collate "C" not null,
      lead text collate "C" not null
    )`,
    `create table ${coveredTopics} (topic_id uuid primary key, slug text collate "C" not null unique, lead text collate "C" not null)`,
  ];
}
