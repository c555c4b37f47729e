import type { RecordData } from '../../domain/records/resources.ts';
import { columnDefinitions, columnsOf, type RecordColumns } from '../published-records.ts';
import { type AgendaTables, agendaTables } from './tables.ts';

/** The resources that the agenda is made of. */
export const AGENDA_RESOURCES = ['jurisdictions', 'public_bodies', 'sources', 'topics', 'meetings', 'agenda_items', 'agenda_hits'] as const;
export type AgendaResource = (typeof AGENDA_RESOURCES)[number];

/** Where the current records of a resource stand. The first column is the key, the record's id. */
export interface RecordTable {
  readonly table: keyof AgendaTables;
  readonly columns: RecordColumns;
}

const json = (value: unknown): string => JSON.stringify(value);

const tableOf = <R extends AgendaResource>(table: keyof AgendaTables, make: Parameters<typeof columnsOf<R>>[0]): RecordTable => ({
  table,
  columns: columnsOf<R>(make),
});

/** Meetings of these statuses are neither listed nor counted in a body's cadence. */
const OFF: readonly RecordData<'meetings'>['status'][] = ['cancelled', 'postponed'];

/** `created_at` decides between two records with one slug: the older wins, and of two of one age the smaller id. */
export const RECORD_TABLES: Readonly<Record<AgendaResource, RecordTable>> = {
  jurisdictions: tableOf<'jurisdictions'>('jurisdictions', ({ uuid, text, flag, time }) => [
    uuid('jurisdiction_id', ({ id }) => id),
    text('slug', ({ slug }) => slug),
    text('name', ({ name }) => name),
    flag('active', ({ active }) => active),
    time('created_at', ({ createdAt }) => createdAt),
  ]),
  public_bodies: tableOf<'public_bodies'>('bodies', ({ uuid, text, flag, time }) => [
    uuid('body_id', ({ id }) => id),
    uuid('jurisdiction_id', ({ jurisdictionId }) => jurisdictionId),
    text('slug', ({ slug }) => slug),
    text('name', ({ name }) => name),
    text('timezone', ({ timezone }) => timezone),
    flag('active', ({ active }) => active),
    time('created_at', ({ createdAt }) => createdAt),
  ]),
  sources: tableOf<'sources'>('sources', ({ uuid, maybeUuid, text, maybeText, flag, maybeTime }) => [
    uuid('source_id', ({ id }) => id),
    maybeUuid('body_id', ({ publicBodyId }) => publicBodyId),
    text('type_label', ({ sourceTypeLabel }) => sourceTypeLabel),
    maybeText('official_url', ({ officialSourceUrl }) => officialSourceUrl),
    flag('active', ({ active }) => active),
    text('status', ({ status }) => status),
    maybeText('text_evidence', (data) => data.agendaTextEvidence),
    maybeTime('succeeded_at', ({ lastSuccessfulCheckAt }) => lastSuccessfulCheckAt),
  ]),
  topics: tableOf<'topics'>('topics', ({ uuid, text, flag, time }) => [
    uuid('topic_id', ({ id }) => id),
    text('slug', ({ slug }) => slug),
    flag('open', ({ selectable, classificationActive }) => selectable && classificationActive),
    time('created_at', ({ createdAt }) => createdAt),
  ]),
  meetings: tableOf<'meetings'>('meetings', ({ uuid, maybeUuid, text, flag, time }) => [
    uuid('meeting_id', ({ id }) => id),
    uuid('body_id', ({ publicBodyId }) => publicBodyId),
    maybeUuid('source_id', ({ sourceId }) => sourceId),
    time('starts_at', ({ startsAt }) => startsAt),
    flag('on_calendar', ({ status }) => !OFF.includes(status)),
    text('lead', ({ startsAt }) => `"meetingAt":${json(startsAt)}`),
  ]),
  agenda_items: tableOf<'agenda_items'>('items', ({ uuid, text }) => [
    uuid('item_id', ({ id }) => id),
    uuid('meeting_id', ({ meetingId }) => meetingId),
    text('lead', ({ title, sourceUrl }) => `"title":${json(title)},"sourceUrl":${json(sourceUrl)}`),
  ]),
  agenda_hits: tableOf<'agenda_hits'>('hits', ({ uuid, text, time }) => [
    uuid('hit_id', ({ id }) => id),
    uuid('item_id', ({ agendaItemId }) => agendaItemId),
    uuid('topic_id', ({ topicId }) => topicId),
    time('classified_at', ({ classifiedAt }) => classifiedAt),
    text(
      'own',
      (hit) =>
        `"summary":${json(hit.summary)},"businessImpact":${json(hit.businessImpact)},"evidenceQuote":${json(hit.evidenceQuote)},` +
        `"confidence":${json(hit.confidence)},"affectedLocation":${json(hit.affectedLocation)},"proceduralContext":${json(hit.proceduralContext)}`,
    ),
  ]),
};

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
