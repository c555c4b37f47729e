import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import type { AgendaItem } from '../../contract/tools/get-agenda-item.ts';
import { MAX_APPEARANCES } from '../../domain/agenda/matter-file.ts';
import type { FACT_LISTS } from '../../domain/records/fact-schemas.ts';
import type { QueryContext } from '../../domain/ports/projection.ts';
import { unlessNull } from '../fields.ts';
import { freshnessAt, meetingTimeOf, sourceOf, startTimeOf, timezoneOf } from './agenda-fields.ts';
import { liveStatement, type tablesOf, withLaterColumns } from '../live-tables.ts';

type Tables = ReturnType<typeof tablesOf<typeof AGENDA_SEARCH>>;

const HIT_FIELDS = `'topicSlug', t.slug, 'confidence', h.confidence, 'summary', h.summary,
  'evidenceQuote', h.evidence_quote`;

/**
 * Returns SQL for the topics of an item `i`. `fields` is SQL for the keys and values of each hit `h` and its topic `t`.
 * If several topics share a slug, only hits of the oldest are shown.
 */
export const hitsOfItem = ({ hits, topics }: Tables, fields: string): string => `(
  select json_agg(json_build_object(${fields})
    order by h.confidence desc, t.slug, h.hit_id)
  from ${hits} h join ${topics} t on t.topic_id = h.topic_id where h.item_id = i.item_id and not exists (
    select from ${topics} o where o.slug = t.slug and (o.created_at, o.topic_id) < (t.created_at, t.topic_id)
  ))`;

/** Returns SQL for the documents of an item `i`. */
export const documentsOfItem = ({ documents }: Tables): string => `(
  select json_agg(
    json_build_object('title', d.title, 'kind', d.kind, 'url', d.url) order by d.kind, d.title, d.document_id)
  from ${documents} d where d.item_id = i.item_id)`;

/**
 * Returns SQL for the entries `o` of other items with the jurisdiction and file number of an item `i`. Empty without a
 * `matter_key`, for example in an earlier version of the read model, which has no index by matter.
 */
export function otherItemsOfMatter({ entries }: Tables): string {
  const table = withLaterColumns(entries, ['item_id', 'starts_at'], { matter: 'bigint' });
  // `offset 0` separates the subquery. Otherwise an outdated plan would join all entries.
  return `${table} e cross join lateral (
    select * from ${table} o where o.matter = e.matter and o.item_id <> e.item_id offset 0
  ) o where e.item_id = i.item_id and i.matter_key is not null`;
}

/** SQL for the fields of `MeetingColumns` of a meeting `m`, and its status. */
const MEETING_FIELDS = `'startsAt', m.starts_at::text, 'day', m.day::text, 'timezone', ${timezoneOf('m')},
  'startTime', ${startTimeOf('m')}, 'meetingStatus', m.status`;

const ITEM_FIELDS = `'itemId', i.item_id, 'title', i.title, 'actionText', i.action_text, 'outcome', i.outcome,
  'sourceUrl', i.source_url`;

/**
 * Returns SQL for `{count, nearest}`: the other items of a matter, and those nearest to the meeting of item `i`, oldest
 * first.
 */
function appearancesOf(tables: Tables): string {
  const { bodies, meetings, items } = tables;
  return `(
    with others as materialized (select o.item_id, o.starts_at from ${otherItemsOfMatter(tables)}),
      nearest as materialized (
        select item_id from others order by abs(starts_at - m.starts_at), item_id limit ${MAX_APPEARANCES})
    select json_build_object('count', (select count(*) from others), 'nearest', (
      select json_agg(
        json_build_object(${ITEM_FIELDS}, 'body', b.name, ${MEETING_FIELDS}) order by m.starts_at, i.item_id)
      from nearest join ${items} i using (item_id) join ${meetings} m on m.meeting_id = i.meeting_id
      join ${bodies} b on b.body_id = m.body_id)))`;
}

const COLUMNS =
  'item_id, meeting_id, title, text, agenda_number, matter_file, matter_type, action_text, outcome, source_url'.split(
    ', ',
  );
const LATER = {
  matter_status: 'text',
  matter_key: 'text',
  actions: 'text',
  votes: 'text',
  facts: 'text',
  kind: 'text',
  section: 'text',
};
/** Returns SQL for the items, with null for columns that an earlier version of the read model lacks. */
export const itemsWithMatter = (items: string): string => withLaterColumns(items, COLUMNS, LATER);

/** SQL: true if a row `i` is an item of business. An absent kind means item. */
export const IS_BUSINESS = `coalesce(i.kind, 'item') = 'item'`;

function agendaItem(tables: Tables): string {
  const { jurisdictions, bodies, sources, meetings, items, isLive } = tables;
  return `select json_build_object(${ITEM_FIELDS}, 'text', i.text, 'agendaNumber', i.agenda_number,
        'matterFile', i.matter_file, 'matterType', i.matter_type, 'kind', i.kind, 'section', i.section,
        'matterStatus', i.matter_status, 'actions', i.actions::json, 'votes', i.votes::json, 'facts', i.facts::json,
        'jurisdiction', j.name, 'jurisdictionSlug', j.slug, 'body', b.name, 'bodySlug', b.slug, ${MEETING_FIELDS},
        'sourceType', s.type, 'sourceStatus', s.status, 'succeededAt', s.succeeded_at::text,
        'topics', ${hitsOfItem(tables, HIT_FIELDS)}, 'documents', ${documentsOfItem(tables)},
        'appearances', ${appearancesOf(tables)}) as item
      from ${itemsWithMatter(items)} i
      join ${meetings} m on m.meeting_id = i.meeting_id join ${bodies} b on b.body_id = m.body_id
      join ${jurisdictions} j on j.jurisdiction_id = b.jurisdiction_id
      left join lateral ${sourceOf(sources)} on true
      where i.item_id = $1::uuid and ${isLive}`;
}

interface MeetingRow {
  readonly startsAt: string;
  readonly day: string;
  readonly timezone: string | null;
  readonly startTime: string | null;
  readonly meetingStatus: AgendaItem['meetingStatus'];
}

type OrNull<Type, Keys extends keyof Type> = { readonly [Key in Keys]: Exclude<Type[Key], undefined> | null };

type Appearance = AgendaItem['appearances'][number];
interface AppearanceRow
  extends MeetingRow,
    Pick<Appearance, 'itemId' | 'title' | 'body' | 'sourceUrl'>,
    OrNull<Appearance, 'actionText' | 'outcome'> {}

type Optional =
  | 'text'
  | 'agendaNumber'
  | 'matterFile'
  | 'matterType'
  | 'kind'
  | 'section'
  | 'matterStatus'
  | 'actionText'
  | 'outcome'
  | 'actions'
  | 'votes';
interface ItemRow
  extends MeetingRow,
    Pick<AgendaItem, 'itemId' | 'title' | 'jurisdiction' | 'jurisdictionSlug' | 'body' | 'bodySlug' | 'sourceUrl'>,
    OrNull<AgendaItem, Optional | 'topics' | 'documents'> {
  readonly facts: Pick<AgendaItem, (typeof FACT_LISTS)[number]> | null;
  readonly sourceType: AgendaItem['publisher']['sourceType'];
  readonly sourceStatus: string | null;
  readonly succeededAt: string | null;
  readonly appearances: { readonly count: number; readonly nearest: readonly AppearanceRow[] | null };
}

const appearanceOf = ({
  itemId,
  title,
  body,
  actionText,
  outcome,
  sourceUrl,
  ...meeting
}: AppearanceRow): Appearance => ({
  itemId,
  title,
  body,
  ...meetingTimeOf(meeting),
  meetingStatus: meeting.meetingStatus,
  ...unlessNull('actionText', actionText),
  ...unlessNull('outcome', outcome),
  sourceUrl,
});

/** Returns a public agenda item with topics, documents and other appearances, or null. `itemId` is a uuid. */
export const createGetAgendaItem =
  ({ reads, clock }: QueryContext) =>
  async (itemId: string): Promise<AgendaItem | null> => {
    const statement = liveStatement(AGENDA_SEARCH, { name: 'agenda_item', text: agendaItem, values: [itemId] });
    const [first] = await reads.rows<{ item: ItemRow }>(statement);
    if (first === undefined) return null;
    const row = first.item;
    const { jurisdiction, body, sourceType } = row;
    return {
      itemId: row.itemId,
      title: row.title,
      ...unlessNull('text', row.text),
      jurisdiction,
      jurisdictionSlug: row.jurisdictionSlug,
      body,
      bodySlug: row.bodySlug,
      ...meetingTimeOf(row),
      meetingStatus: row.meetingStatus,
      ...unlessNull('agendaNumber', row.agendaNumber),
      ...unlessNull('matterFile', row.matterFile),
      ...unlessNull('matterType', row.matterType),
      ...unlessNull('kind', row.kind),
      ...unlessNull('section', row.section),
      ...unlessNull('matterStatus', row.matterStatus),
      ...unlessNull('actionText', row.actionText),
      ...unlessNull('outcome', row.outcome),
      ...unlessNull('actions', row.actions),
      ...unlessNull('votes', row.votes),
      ...row.facts,
      sourceUrl: row.sourceUrl,
      topics: row.topics ?? [],
      documents: row.documents ?? [],
      appearances: (row.appearances.nearest ?? []).map(appearanceOf),
      appearanceCount: row.appearances.count,
      publisher: { jurisdiction, body, sourceType },
      freshness: freshnessAt(row.sourceStatus, row.succeededAt, clock.now()),
    };
  };
