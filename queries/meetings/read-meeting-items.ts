import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { LiveGeneration, LiveReads } from '../../domain/ports/projection.ts';
import { plainRecord } from '../../domain/records/plain-record.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import type { AgendaItem } from '../../contract/tools/get-agenda-item.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { currentRow, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { RECORD_REFERENCES } from '../../projections/record-references/tables.ts';
import {
  documentsOfItem,
  hitsOfItem,
  IS_BUSINESS,
  itemsWithMatter,
  otherItemsOfMatter,
} from '../agenda/get-agenda-item.ts';
import { liveTokens, programSql, tablesOf } from '../live-tables.ts';

/** Row of an agenda: an item of business, a heading, or a routine step of a meeting. */
export interface MeetingItem extends Pick<AgendaItem, 'documents'> {
  readonly itemId: string;
  readonly kind: NonNullable<RecordData<'agenda_items'>['kind']>;
  readonly section: string | null;
  readonly title: string;
  readonly agendaNumber: string | null;
  readonly matterFile: string | null;
  readonly outcome: RecordData<'agenda_items'>['outcome'];
  readonly actionText: string | null;
  readonly sourceUrl: string;
  /** True if another item of the jurisdiction has its file number. */
  readonly isOnOtherAgendas: boolean;
  readonly topics: readonly {
    readonly topicSlug: string;
    readonly evidenceQuote: string;
    /** Quote with the text around it; null if the text does not contain the quote. */
    readonly quotedText: string | null;
  }[];
}

export interface MeetingItemsInput {
  readonly offset: number;
  readonly limit: number;
  /** Characters of the text on each side of a quote. */
  readonly around: number;
}

/** Fields of a hit `h` of an item `i`; `quoted.around` is the number of characters on each side of a quote. */
const HIT_FIELDS = `'topicSlug', t.slug, 'evidenceQuote', h.evidence_quote, 'quotedText', (
  select substr(i.text, greatest(1, at - quoted.around),
    least(at - 1, quoted.around) + length(h.evidence_quote) + quoted.around)
  from strpos(i.text, h.evidence_quote) at where at > 0)`;

export interface MeetingItems {
  readonly items: readonly MeetingItem[];
  /** Number of rows, of items of business, and of items of business before `offset`; 0 beyond the last row. */
  readonly total: number;
  readonly itemCount: number;
  readonly itemsBefore: number;
}

/** Returns the tables of a statement, and the condition that all their generations are live. */
function agendaTables(live: LiveGeneration) {
  const search = tablesOf(AGENDA_SEARCH, live(AGENDA_SEARCH.name));
  const { history, isLive } = tablesOf(RECORD_HISTORY, live(RECORD_HISTORY.name));
  return { search, history, areLive: programSql(`${search.isLive} and ${isLive}`) };
}

function selectItemsInOrder({ search, history }: ReturnType<typeof agendaTables>, meetingId: string): FragmentSqlToken {
  const itemRow = currentRow(history, 'h', { id: 'i.item_id', resource: `'agenda_items'` });
  return sql.fragment`select i.item_id, h.body::jsonb -> 'sequence' as sequence
    from ${programSql(`${search.items} i cross join ${itemRow}`)}
    where i.meeting_id = ${meetingId}::uuid order by sequence, i.item_id`;
}

const countRow = z.object({ count: z.number() });

/** Counts the items of business among the first rows of a meeting. */
async function countItems(reads: LiveReads, meetingId: string, rows: number): Promise<number> {
  if (rows === 0) return 0;
  const [first] = await reads.many((live) => {
    const tables = agendaTables(live);
    return sql.type(countRow)`
      with first as (${selectItemsInOrder(tables, meetingId)} limit ${rows}::int)
      select count(*) from first join ${programSql(itemsWithMatter(tables.search.items))} i using (item_id)
      where ${programSql(IS_BUSINESS)} and ${tables.areLive}`;
  });
  return first?.count ?? 0;
}

const agendaRow = z.object({
  item: z.custom<MeetingItem>(),
  counts: z.object({ total: z.number(), itemCount: z.number() }),
});

function agendaRows(live: LiveGeneration, meetingId: string, { offset, limit, around }: MeetingItemsInput) {
  const tables = agendaTables(live);
  const { search, areLive } = tables;
  const items = itemsWithMatter(search.items);
  return sql.type(agendaRow)`
    with page as materialized (${selectItemsInOrder(tables, meetingId)} limit ${limit}::int offset ${offset}::int)
    select json_build_object('itemId', i.item_id, 'kind', coalesce(i.kind, 'item'), 'section', i.section,
        'title', i.title, 'agendaNumber', i.agenda_number, 'matterFile', i.matter_file, 'outcome', i.outcome,
        'actionText', i.action_text, 'sourceUrl', i.source_url,
        'isOnOtherAgendas', exists (select from ${programSql(otherItemsOfMatter(search))}),
        'topics', coalesce(${programSql(hitsOfItem(search, HIT_FIELDS))}, '[]'),
        'documents', coalesce(${programSql(documentsOfItem(search))}, '[]')) as item,
      (select json_build_object('total', count(*), 'itemCount', count(*) filter (where ${programSql(IS_BUSINESS)}))
        from ${programSql(items)} i where i.meeting_id = ${meetingId}::uuid) as counts
    from page join ${programSql(items)} i using (item_id) cross join (values (${around}::int)) quoted (around)
    where ${areLive} order by page.sequence, i.item_id`;
}

/** Returns the rows of a meeting from `offset` on, in the order of its agenda. */
export const createReadMeetingItems =
  (reads: LiveReads) =>
  async (meetingId: string, input: MeetingItemsInput): Promise<MeetingItems> => {
    const rows = await reads.many((live) => agendaRows(live, meetingId, input));
    const counts = rows[0]?.counts ?? { total: 0, itemCount: 0 };
    const itemsBefore = rows.length === 0 ? 0 : await countItems(reads, meetingId, input.offset);
    return { items: rows.map(({ item }) => item), ...counts, itemsBefore };
  };

const MAX_DOCUMENTS = 50;
const documentRow = z.object({ data: z.custom<RecordData<'documents'>>() });

/** Returns the documents of a meeting itself, agendas and minutes first. */
export const createReadMeetingDocuments =
  (reads: LiveReads) =>
  async (meetingId: string): Promise<readonly RecordData<'documents'>[]> => {
    const rows = await reads.many((live) => {
      const { references, isLive } = liveTokens(RECORD_REFERENCES, live);
      const { history, isLive: isHistoryLive } = tablesOf(RECORD_HISTORY, live(RECORD_HISTORY.name));
      const document = currentRow(history, 'h', { id: 'r.record_id', resource: 'r.resource' });
      return sql.type(documentRow)`
        select h.body::json as data from ${references} r cross join ${programSql(document)}
        where r.target_id = ${meetingId}::uuid and r.resource = 'documents' and r.field = 'meetingId'
          and ${isLive} and ${programSql(isHistoryLive)} and not exists (
            select from ${references} i
            where i.record_id = r.record_id and i.resource = r.resource and i.field = 'agendaItemId')
        order by h.body::jsonb ->> 'kind', h.record_id limit ${MAX_DOCUMENTS}`;
    });
    return rows.map(({ data }) => plainRecord(data));
  };
