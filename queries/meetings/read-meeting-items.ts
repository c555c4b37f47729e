import type { LiveReads } from '../../domain/ports/projection.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import type { AgendaItem } from '../../contract/tools/get-agenda-item.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { currentRow, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { RECORD_REFERENCES } from '../../projections/record-references/tables.ts';
import { documentsOfItem, hitsOfItem } from '../agenda/get-agenda-item.ts';
import { tablesOf } from '../live-tables.ts';

export interface MeetingItem extends Pick<AgendaItem, 'documents'> {
  readonly itemId: string;
  readonly title: string;
  readonly agendaNumber: string | null;
  readonly matterFile: string | null;
  readonly outcome: RecordData<'agenda_items'>['outcome'];
  readonly actionText: string | null;
  readonly sourceUrl: string;
  readonly topics: readonly {
    readonly topicSlug: string;
    readonly evidenceQuote: string;
    /** The quote with the text around it; null where the text does not have it. */
    readonly quotedText: string | null;
  }[];
}

export interface MeetingItemsInput {
  readonly offset: number;
  readonly limit: number;
  /** Characters of the text on each side of a quote. */
  readonly around: number;
}

/** `$4` is `around`. */
const HIT_FIELDS = `'topicSlug', t.slug, 'evidenceQuote', h.evidence_quote, 'quotedText', (
  select substr(i.text, greatest(1, at - $4::int), least(at - 1, $4::int) + length(h.evidence_quote) + $4::int)
  from strpos(i.text, h.evidence_quote) at where at > 0)`;

/** Items of one meeting in the order of its agenda, from `offset` on, and how many it has; 0 beyond the last one. */
export const createReadMeetingItems =
  (reads: LiveReads) =>
  async (
    meetingId: string,
    { offset, limit, around }: MeetingItemsInput,
  ): Promise<{ readonly items: readonly MeetingItem[]; readonly total: number }> => {
    const rows = await reads.texts((live) => {
      const search = tablesOf(AGENDA_SEARCH, live(AGENDA_SEARCH.name));
      const { history, isLive } = tablesOf(RECORD_HISTORY, live(RECORD_HISTORY.name));
      return {
        text: `with page as materialized (
            select i.item_id, h.body::jsonb -> 'sequence' as sequence
            from ${search.items} i cross join ${currentRow(history, 'h', { id: 'i.item_id', resource: `'agenda_items'` })}
            where i.meeting_id = $1::uuid order by sequence, i.item_id limit $2::int offset $3::int
          )
          select json_build_object('itemId', i.item_id, 'title', i.title, 'agendaNumber', i.agenda_number, 'matterFile', i.matter_file,
            'outcome', i.outcome, 'actionText', i.action_text, 'sourceUrl', i.source_url,
            'topics', coalesce(${hitsOfItem(search, HIT_FIELDS)}, '[]'), 'documents', coalesce(${documentsOfItem(search)}, '[]')),
            (select count(*) from ${search.items} c where c.meeting_id = $1::uuid)
          from page join ${search.items} i using (item_id) where ${search.isLive} and ${isLive} order by page.sequence, i.item_id`,
        values: [meetingId, limit, offset, around],
      };
    });
    return { items: rows.map(([json]) => JSON.parse(json!) as MeetingItem), total: Number(rows[0]?.[1] ?? 0) };
  };

const MAX_DOCUMENTS = 50;

/** Documents of a meeting itself, agendas and minutes first. */
export const createReadMeetingDocuments =
  (reads: LiveReads) =>
  async (meetingId: string): Promise<readonly RecordData<'documents'>[]> => {
    const rows = await reads.texts((live) => {
      const { references, isLive } = tablesOf(RECORD_REFERENCES, live(RECORD_REFERENCES.name));
      const history = tablesOf(RECORD_HISTORY, live(RECORD_HISTORY.name));
      return {
        text: `select h.body from ${references} r
          cross join ${currentRow(history.history, 'h', { id: 'r.record_id', resource: 'r.resource' })}
          where r.target_id = $1::uuid and r.resource = 'documents' and r.field = 'meetingId' and ${isLive} and ${history.isLive}
            and not exists (select from ${references} i where i.record_id = r.record_id and i.resource = r.resource and i.field = 'agendaItemId')
          order by h.body::jsonb ->> 'kind', h.record_id limit ${MAX_DOCUMENTS}`,
        values: [meetingId],
      };
    });
    return rows.map(([body]) => JSON.parse(body!) as RecordData<'documents'>);
  };
