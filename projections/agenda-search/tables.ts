import { isBareHeading, isBusiness } from '../../domain/agenda/kinds.ts';
import { localDay } from '../../domain/local-day.ts';
import { matterKey } from '../../domain/agenda/matter-file.ts';
import { FACT_LISTS } from '../../domain/records/fact-schemas.ts';
import { referenceNumbers } from '../../domain/reference-numbers.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { plainDashes, SEARCHED_LENGTH } from '../../domain/text/words.ts';
import type { RecordTable, TableOf } from '../tables.ts';
import { searchedAmount, searchedDistricts } from './searched-facts.ts';
import { FLAG, ID, MAYBE_TEXT, milliseconds, NUMBER, readModel, recordTable, TEXT, UUID } from '../tables.ts';

/**
 * Prefixes of marks. Marks share the index with the words of an entry, so that filters and periods narrow a search
 * within the index. No word begins with a space.
 */
export const MARK = {
  body: ' b',
  topic: ' t',
  period: ' p',
  day: ' d',
  number: ' n',
  outcome: ' o',
  district: ' c',
  amount: ' a',
} as const;

/** Returns the mark of an amount, its number of digits: a range of amounts is read by few marks in the index. */
export const amountMark = (dollars: number): string => `${MARK.amount}${String(Math.floor(dollars)).length}`;

/** Returns the number of the quarter that contains an instant (milliseconds). */
export function findPeriod(instant: number): number {
  const date = new Date(instant);
  return date.getUTCFullYear() * 4 + Math.floor(date.getUTCMonth() / 3);
}

/** Weights, lowest first: text, names of place and body, topics, title. */
export const WEIGHT = { text: 'D', place: 'C', topics: 'B', title: 'A' } as const;

const TAG_ENDS = [
  ['</', '\\x02'],
  ['/>', '\\x03'],
] as const;

/**
 * Returns SQL that replaces each slash outside a tag by another sign, because the parser reads words joined by a slash
 * as one path.
 */
export function replaceSlashes(sign: string, text: string): string {
  const marked = TAG_ENDS.reduce((part, [end, mark]) => `replace(${part}, '${end}', E'${mark}')`, text);
  return TAG_ENDS.reduce(
    (part, [end, mark]) => `replace(${part}, E'${mark}', '${end}')`,
    `replace(${marked}, '/', ${sign})`,
  );
}

/** Returns the marks of an item: cases, highways, districts, outcome and amount, joined by commas. */
function formatMarks(item: RecordData<'agenda_items'>): string | null {
  const { matterFile, title, text, outcome } = item;
  const numbers = referenceNumbers(plainDashes([matterFile, title, text?.slice(0, SEARCHED_LENGTH)].join('\n')));
  const amount = searchedAmount(item);
  const marks = [
    ...numbers.map((number) => `${MARK.number}${number}`),
    ...searchedDistricts(item).map((district) => `${MARK.district}${district}`),
    ...(outcome === null ? [] : [`${MARK.outcome}${outcome}`]),
    ...(amount === null ? [] : [amountMark(amount)]),
  ];
  return marks.length === 0 ? null : marks.join(',');
}

/** Returns the lists of facts of an item as JSON text; null without one. */
function formatFacts(item: RecordData<'agenda_items'>): string | null {
  const lists = FACT_LISTS.flatMap((list) => {
    const facts = item[list] as readonly { readonly field: string; readonly offset: number }[] | undefined;
    return facts === undefined || facts.length === 0
      ? []
      : [[list, facts.map(({ field: _field, offset: _offset, ...fact }) => fact)]];
  });
  return lists.length === 0 ? null : JSON.stringify(Object.fromEntries(lists));
}

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** Kilobytes of pending entries of an index. Each search reads them all, but with fewer an import takes longer. */
const FEW_WAITING = 'gin_pending_list_limit = 256';

export type SearchRecordTable = TableOf<
  RecordTable & {
    /** Columns whose change affects the entries of other items. An item's own entry is always checked. */
    readonly searched: readonly string[];
    /** Columns whose words are suggested for misspelled ones. */
    readonly worded: readonly string[];
  }
>;

/**
 * Every agenda item whose meeting, body and jurisdiction exist. If two records share a slug, the one with the older
 * `created_at` wins, then the smaller id.
 */
export const AGENDA_SEARCH = readModel('agenda_search', {
  jurisdictions: recordTable(
    'jurisdictions',
    {
      jurisdiction_id: [ID, ({ id }) => id],
      slug: [TEXT, ({ slug }) => slug],
      name: [TEXT, ({ name }) => name],
      created_at: [NUMBER, ({ createdAt }) => Date.parse(createdAt)],
    },
    { indexes: { by_slug: '(slug, created_at, jurisdiction_id)' }, searched: ['name'], worded: ['name'] },
  ),
  bodies: recordTable(
    'public_bodies',
    {
      body_id: [ID, ({ id }) => id],
      jurisdiction_id: [UUID, ({ jurisdictionId }) => jurisdictionId],
      slug: [TEXT, ({ slug }) => slug],
      name: [TEXT, ({ name }) => name],
    },
    { indexes: { by_jurisdiction: '(jurisdiction_id)' }, searched: ['jurisdiction_id', 'name'], worded: ['name'] },
  ),
  sources: recordTable(
    'sources',
    {
      source_id: [ID, ({ id }) => id],
      body_id: ['uuid', ({ publicBodyId }) => publicBodyId],
      type: [TEXT, ({ sourceType }) => sourceType],
      active: [FLAG, ({ active }) => active],
      status: [TEXT, ({ status }) => status],
      succeeded_at: ['bigint', ({ lastSuccessfulCheckAt }) => milliseconds(lastSuccessfulCheckAt)],
      created_at: [NUMBER, ({ createdAt }) => Date.parse(createdAt)],
    },
    { indexes: { by_body: '(body_id)' }, searched: [], worded: [] },
  ),
  topics: recordTable(
    'topics',
    {
      topic_id: [ID, ({ id }) => id],
      slug: [TEXT, ({ slug }) => slug],
      names: [TEXT, ({ name, publicLabel }) => (name === publicLabel ? name : `${name}\nthe\n${publicLabel}`)],
      created_at: [NUMBER, ({ createdAt }) => Date.parse(createdAt)],
      label: [TEXT, ({ publicLabel }) => publicLabel],
      selectable: [FLAG, ({ selectable }) => selectable],
    },
    { indexes: { by_slug: '(slug, created_at, topic_id)' }, searched: ['names'], worded: ['names'] },
  ),
  meetings: recordTable(
    'meetings',
    {
      meeting_id: [ID, ({ id }) => id],
      body_id: [UUID, ({ publicBodyId }) => publicBodyId],
      source_id: ['uuid', ({ sourceId }) => sourceId],
      status: [TEXT, ({ status }) => status],
      starts_at: [NUMBER, ({ startsAt }) => Date.parse(startsAt)],
      day: [NUMBER, ({ startsAt, timezone }) => localDay(Date.parse(startsAt), timezone)],
      period: [NUMBER, ({ startsAt }) => findPeriod(Date.parse(startsAt))],
      timezone: [TEXT, ({ timezone }) => timezone],
      /** JSON; null if the source has a readable time. */
      start_time: [
        MAYBE_TEXT,
        ({ startTime }) => (startTime?.status === 'not_stated' ? JSON.stringify(startTime) : null),
      ],
    },
    {
      indexes: { by_body: '(body_id)' },
      countedBy: [],
      searched: ['body_id', 'starts_at', 'day', 'period'],
      worded: [],
    },
  ),
  items: recordTable(
    'agenda_items',
    {
      item_id: [ID, ({ id }) => id],
      meeting_id: [UUID, ({ meetingId }) => meetingId],
      title: [TEXT, ({ title }) => title],
      text: [MAYBE_TEXT, (data) => data.text],
      agenda_number: [MAYBE_TEXT, ({ agendaNumber }) => agendaNumber],
      matter_file: [MAYBE_TEXT, ({ matterFile }) => matterFile],
      matter_type: [MAYBE_TEXT, ({ matterType }) => matterType],
      matter_status: [MAYBE_TEXT, ({ matterStatus }) => matterStatus ?? null],
      action_text: [MAYBE_TEXT, ({ actionText }) => actionText],
      outcome: [MAYBE_TEXT, ({ outcome }) => outcome],
      source_url: [TEXT, ({ sourceUrl }) => sourceUrl],
      /**
       * True for a row that is not an item of business; searches skip it. A record without a kind is an item unless it
       * is a bare heading: every agenda has headings, and they would precede the items until their source is read
       * again.
       */
      heading: [FLAG, (item) => !isBusiness(item) || isBareHeading(item)],
      kind: [MAYBE_TEXT, ({ kind }) => kind ?? null],
      section: [MAYBE_TEXT, ({ section }) => section ?? null],
      matter_name: [
        MAYBE_TEXT,
        ({ matterName, title }) => (matterName === undefined || matterName === title ? null : matterName),
      ],
      marks: [MAYBE_TEXT, formatMarks],
      /** Whole dollars. */
      amount: ['bigint', searchedAmount],
      matter_key: [MAYBE_TEXT, ({ matterFile }) => matterKey(matterFile)],
      /** JSON text. */
      actions: [MAYBE_TEXT, ({ actions }) => jsonOrNull(actions)],
      /** JSON text. */
      votes: [MAYBE_TEXT, ({ votes }) => jsonOrNull(votes)],
      /** JSON text of the lists of facts, without the places of their words. */
      facts: [MAYBE_TEXT, formatFacts],
    },
    {
      indexes: { by_meeting: '(meeting_id)' },
      countedBy: [],
      searched: [],
      worded: ['title', 'matter_name', 'text', 'matter_type', 'action_text'],
    },
  ),
  hits: recordTable(
    'agenda_hits',
    {
      hit_id: [ID, ({ id }) => id],
      item_id: [UUID, ({ agendaItemId }) => agendaItemId],
      topic_id: [UUID, ({ topicId }) => topicId],
      confidence: [NUMBER, ({ confidence }) => confidence],
      summary: [TEXT, ({ summary }) => summary],
      evidence_quote: [TEXT, ({ evidenceQuote }) => evidenceQuote],
    },
    {
      indexes: { by_item: '(item_id)', by_topic: '(topic_id)' },
      countedBy: [],
      searched: ['item_id', 'topic_id'],
      worded: [],
    },
  ),
  documents: recordTable(
    'documents',
    {
      document_id: [ID, ({ id }) => id],
      item_id: ['uuid', ({ agendaItemId }) => agendaItemId],
      kind: [TEXT, ({ kind }) => kind],
      title: [TEXT, ({ title }) => title],
      url: [TEXT, ({ url }) => url],
    },
    { indexes: { by_item: '(item_id)' }, countedBy: [], searched: ['item_id', 'title'], worded: ['title'] },
  ),
  /**
   * One row per item of business that can be shown. Items of one matter share a number; null for an item with only a
   * title.
   */
  entries: {
    columns: {
      item_id: ID,
      starts_at: NUMBER,
      day: NUMBER,
      period: NUMBER,
      words: 'tsvector not null',
      /** The words as they are written, without their stems, to rank exact words first. Not indexed. */
      forms: 'tsvector not null',
      amount: 'bigint',
      matter: 'bigint',
    },
    indexes: { by_matter: '(matter)', words: `using gin (words) with (${FEW_WAITING})` },
    countedBy: [],
  },
  periods: { columns: { period: 'bigint primary key', entries: NUMBER } },
  /** Words, with the number of records that contain them. */
  words: {
    columns: { word: 'text collate "C" primary key', stem: TEXT, records: NUMBER },
    indexes: { by_stem: '(stem)' },
    more: (table, index) => [
      `alter table ${table} set (fillfactor = 80)`,
      `select civic.index_near_words('${table}', '${index('near')}')`,
      `alter index civic.${index('near')} set (${FEW_WAITING})`,
    ],
    countedBy: [],
  },
});

export const SEARCH_RECORDS: readonly SearchRecordTable[] = Object.values(AGENDA_SEARCH.tables).filter(
  (table) => 'row' in table,
);
