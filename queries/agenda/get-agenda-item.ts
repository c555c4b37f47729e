import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import type { AgendaItem } from '../../contract/tools/get-agenda-item.ts';
import type { QueryContext } from '../../domain/ports/projection.ts';
import { unlessNull } from '../fields.ts';
import { freshnessAt, meetingTimeOf, sourceOf, startTimeOf, timezoneOf } from './agenda-fields.ts';
import { liveRows, tablesOf, withLaterColumns } from '../live-tables.ts';

type Tables = ReturnType<typeof tablesOf<typeof AGENDA_SEARCH>>;

const HIT_FIELDS = `'topicSlug', t.slug, 'confidence', h.confidence, 'summary', h.summary, 'evidenceQuote', h.evidence_quote`;

/**
 * SQL of the topics of an item `i`, each with `fields`: SQL of keys and values of the hit `h` and its topic `t`. Of several topics with one
 * slug the oldest has it; a hit of another is not shown.
 */
export const hitsOfItem = ({ hits, topics }: Tables, fields: string): string => `(
  select json_agg(json_build_object(${fields})
    order by h.confidence desc, t.slug, h.hit_id)
  from ${hits} h join ${topics} t on t.topic_id = h.topic_id where h.item_id = i.item_id and not exists (
    select from ${topics} o where o.slug = t.slug and (o.created_at, o.topic_id) < (t.created_at, t.topic_id)
  ))`;

/** SQL of the documents of an item `i`. */
export const documentsOfItem = ({ documents }: Tables): string => `(
  select json_agg(json_build_object('title', d.title, 'kind', d.kind, 'url', d.url) order by d.kind, d.title, d.document_id)
  from ${documents} d where d.item_id = i.item_id)`;

const COLUMNS = 'item_id, meeting_id, title, text, agenda_number, matter_file, matter_type, action_text, outcome, source_url'.split(', ');

function agendaItem(tables: Tables): string {
  const { jurisdictions, bodies, sources, meetings, items, isLive } = tables;
  return `select i.item_id, i.title, i.text, j.name, j.slug, b.name, b.slug, m.starts_at, m.status, i.agenda_number, i.matter_file, i.matter_type,
        i.matter_status, i.action_text, i.outcome, i.source_url, s.type, s.status, s.succeeded_at, m.day, ${timezoneOf('m')}, ${startTimeOf('m')},
        ${hitsOfItem(tables, HIT_FIELDS)}, ${documentsOfItem(tables)}
      from ${withLaterColumns(items, COLUMNS, { matter_status: 'text' })} i
      join ${meetings} m on m.meeting_id = i.meeting_id join ${bodies} b on b.body_id = m.body_id
      join ${jurisdictions} j on j.jurisdiction_id = b.jurisdiction_id
      left join lateral ${sourceOf(sources)} on true
      where i.item_id = $1::uuid and ${isLive}`;
}

/** One agenda item with its topics and documents, or null where none is public. `itemId` is a uuid. */
export const createGetAgendaItem =
  ({ reads, clock }: QueryContext) =>
  async (itemId: string): Promise<AgendaItem | null> => {
    const [row] = await liveRows(reads, AGENDA_SEARCH, { name: 'agenda_item', text: agendaItem, values: [itemId] });
    if (row === undefined) return null;
    const [id, title, text, jurisdiction, jurisdictionSlug, body, bodySlug, startsAt, meetingStatus] = row;
    const [agendaNumber, matterFile, matterType, matterStatus, actionText, outcome] = row.slice(9);
    const [sourceUrl, sourceType, status, succeededAt, day, timezone, startTime, topics, documents] = row.slice(15);
    return {
      itemId: id!,
      title: title!,
      ...unlessNull('text', text),
      jurisdiction: jurisdiction!,
      jurisdictionSlug: jurisdictionSlug!,
      body: body!,
      bodySlug: bodySlug!,
      ...meetingTimeOf({ startsAt: startsAt!, day: day!, timezone, startTime }),
      meetingStatus: meetingStatus as AgendaItem['meetingStatus'],
      ...unlessNull('agendaNumber', agendaNumber),
      ...unlessNull('matterFile', matterFile),
      ...unlessNull('matterType', matterType),
      ...unlessNull('matterStatus', matterStatus),
      ...unlessNull('actionText', actionText),
      ...unlessNull('outcome', outcome as AgendaItem['outcome'] | null),
      sourceUrl: sourceUrl!,
      topics: topics == null ? [] : (JSON.parse(topics) as AgendaItem['topics']),
      documents: documents == null ? [] : (JSON.parse(documents) as AgendaItem['documents']),
      publisher: { jurisdiction: jurisdiction!, body: body!, sourceType: (sourceType ?? null) as AgendaItem['publisher']['sourceType'] },
      freshness: freshnessAt(status ?? null, succeededAt ?? null, clock.now()),
    };
  };
