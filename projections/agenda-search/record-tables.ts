import { localDay } from '../../domain/local-day.ts';
import { isHeading } from '../../domain/agenda-heading.ts';
import { columnDefinitions, columnsOf, type RecordColumns } from '../published-records.ts';
import { type AgendaSearchTables, agendaSearchTables, periodOf } from './tables.ts';

/** The resources that a search is made of. */
export const SEARCH_RESOURCES = [
  'jurisdictions',
  'public_bodies',
  'sources',
  'topics',
  'meetings',
  'agenda_items',
  'agenda_hits',
  'documents',
] as const;
type SearchResource = (typeof SEARCH_RESOURCES)[number];

/** Where the current records of a resource stand. */
export interface SearchRecordTable {
  readonly table: keyof AgendaSearchTables;
  readonly columns: RecordColumns;
  /** Columns whose change affects the entries of other items. An item's own entry is always checked. */
  readonly searched: readonly string[];
  /** Columns whose words are proposed for misspelt ones. */
  readonly worded: readonly string[];
}

/** `created_at` decides between two records with one slug: the older wins, and of two of one age the smaller id. */
export const RECORD_TABLES: Readonly<Record<SearchResource, SearchRecordTable>> = {
  jurisdictions: {
    table: 'jurisdictions',
    columns: columnsOf<'jurisdictions'>(({ uuid, text, time }) => [
      uuid('jurisdiction_id', ({ id }) => id),
      text('slug', ({ slug }) => slug),
      text('name', ({ name }) => name),
      time('created_at', ({ createdAt }) => createdAt),
    ]),
    searched: ['name'],
    worded: ['name'],
  },
  public_bodies: {
    table: 'bodies',
    columns: columnsOf<'public_bodies'>(({ uuid, text }) => [
      uuid('body_id', ({ id }) => id),
      uuid('jurisdiction_id', ({ jurisdictionId }) => jurisdictionId),
      text('slug', ({ slug }) => slug),
      text('name', ({ name }) => name),
    ]),
    searched: ['jurisdiction_id', 'name'],
    worded: ['name'],
  },
  sources: {
    table: 'sources',
    columns: columnsOf<'sources'>(({ uuid, maybeUuid, text, flag, time, maybeTime }) => [
      uuid('source_id', ({ id }) => id),
      maybeUuid('body_id', ({ publicBodyId }) => publicBodyId),
      text('type', ({ sourceType }) => sourceType),
      flag('active', ({ active }) => active),
      text('status', ({ status }) => status),
      maybeTime('succeeded_at', ({ lastSuccessfulCheckAt }) => lastSuccessfulCheckAt),
      time('created_at', ({ createdAt }) => createdAt),
    ]),
    searched: [],
    worded: [],
  },
  topics: {
    table: 'topics',
    columns: columnsOf<'topics'>(({ uuid, text, flag, time }) => [
      uuid('topic_id', ({ id }) => id),
      text('slug', ({ slug }) => slug),
      text('names', ({ name, publicLabel }) => (name === publicLabel ? name : `${name}\nthe\n${publicLabel}`)),
      time('created_at', ({ createdAt }) => createdAt),
      text('label', ({ publicLabel }) => publicLabel),
      flag('selectable', ({ selectable }) => selectable),
    ]),
    searched: ['names'],
    worded: ['names'],
  },
  meetings: {
    table: 'meetings',
    columns: columnsOf<'meetings'>(({ uuid, maybeUuid, text, number, time }) => [
      uuid('meeting_id', ({ id }) => id),
      uuid('body_id', ({ publicBodyId }) => publicBodyId),
      maybeUuid('source_id', ({ sourceId }) => sourceId),
      text('status', ({ status }) => status),
      time('starts_at', ({ startsAt }) => startsAt),
      number('day', ({ startsAt, timezone }) => localDay(Date.parse(startsAt), timezone)),
      number('period', ({ startsAt }) => periodOf(Date.parse(startsAt))),
      text('timezone', ({ timezone }) => timezone),
    ]),
    searched: ['body_id', 'starts_at', 'day', 'period'],
    worded: [],
  },
  agenda_items: {
    table: 'items',
    columns: columnsOf<'agenda_items'>(({ uuid, text, maybeText, flag }) => [
      uuid('item_id', ({ id }) => id),
      uuid('meeting_id', ({ meetingId }) => meetingId),
      text('title', ({ title }) => title),
      maybeText('text', (data) => data.text),
      maybeText('agenda_number', ({ agendaNumber }) => agendaNumber),
      maybeText('matter_file', ({ matterFile }) => matterFile),
      maybeText('matter_type', ({ matterType }) => matterType),
      maybeText('action_text', ({ actionText }) => actionText),
      maybeText('outcome', ({ outcome }) => outcome),
      text('source_url', ({ sourceUrl }) => sourceUrl),
      flag('heading', isHeading),
    ]),
    searched: [],
    worded: ['title', 'text', 'matter_type', 'action_text'],
  },
  agenda_hits: {
    table: 'hits',
    columns: columnsOf<'agenda_hits'>(({ uuid, text, number }) => [
      uuid('hit_id', ({ id }) => id),
      uuid('item_id', ({ agendaItemId }) => agendaItemId),
      uuid('topic_id', ({ topicId }) => topicId),
      number('confidence', ({ confidence }) => confidence),
      text('summary', ({ summary }) => summary),
      text('evidence_quote', ({ evidenceQuote }) => evidenceQuote),
    ]),
    searched: ['item_id', 'topic_id'],
    worded: [],
  },
  documents: {
    table: 'documents',
    columns: columnsOf<'documents'>(({ uuid, maybeUuid, text }) => [
      uuid('document_id', ({ id }) => id),
      maybeUuid('item_id', ({ agendaItemId }) => agendaItemId),
      text('kind', ({ kind }) => kind),
      text('title', ({ title }) => title),
      text('url', ({ url }) => url),
    ]),
    searched: ['item_id', 'title'],
    worded: ['title'],
  },
};

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
