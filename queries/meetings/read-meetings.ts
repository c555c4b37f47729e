import type { Statement, StatementValue, TextRow } from '../../domain/ports/database.ts';
import type { LiveGeneration, QueryContext } from '../../domain/ports/projection.ts';
import { localDay } from '../../domain/local-day.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { currentRow, isCurrentInOrder, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { isPublic } from '../agenda/agenda-fields.ts';
import { isoTime } from '../fields.ts';
import { tablesOf, withLaterColumns } from '../live-tables.ts';
import { SOURCE_COLUMNS, sourceFacts, type SourceFacts, sourceTable } from './source-facts.ts';

export interface MeetingFacts {
  readonly meeting: RecordData<'meetings'>;
  /** Number of the record's last change, from 1. */
  readonly version: number;
  readonly changedAt: string;
  readonly body: { readonly slug: string; readonly name: string };
  readonly jurisdiction: { readonly slug: string; readonly name: string };
  /** Whether the hits of its body are public. */
  readonly covered: boolean;
  readonly source: SourceFacts;
}

export interface MeetingsInput {
  readonly bodyIds: readonly string[];
  /** Of the bodies: a meeting without a stated time is upcoming until the end of its day there. */
  readonly timezone: string;
  /** Milliseconds: meetings upcoming at `from`, the first ones first, or past at `before`, the last ones first. */
  readonly from?: number;
  readonly before?: number;
  readonly limit: number;
}

type Chosen = (names: { readonly meetings: string; readonly items: string; readonly history: string }) => string;

/** `chosen` selects `meeting_id`, `body_id` and `source_id`, and `rank`, the order of the rows. */
function meetings(live: LiveGeneration, chosen: Chosen, values: readonly StatementValue[]): Statement {
  const search = tablesOf(AGENDA_SEARCH, live(AGENDA_SEARCH.name));
  const agenda = tablesOf(AGENDA, live(AGENDA.name));
  const history = tablesOf(RECORD_HISTORY, live(RECORD_HISTORY.name));
  return {
    text: `with m as materialized (${chosen({ ...search, ...history })})
      select h.body, h.version::text, h.changed_at::text, b.slug, b.name, j.slug, j.name,
        exists (select from ${agenda.coveredBodies} c where c.body_id = m.body_id and ${isPublic('c')}), ${SOURCE_COLUMNS}
      from m cross join ${currentRow(history.history, 'h', { id: 'm.meeting_id', resource: `'meetings'` })}
      join ${search.bodies} b on b.body_id = m.body_id join ${search.jurisdictions} j on j.jurisdiction_id = b.jurisdiction_id
      left join lateral ${sourceTable(agenda.sources, 'm.source_id', 'm.body_id')} on true
      where ${search.isLive} and ${agenda.isLive} and ${history.isLive} order by m.rank, m.meeting_id`,
    values,
  };
}

/** SQL: whether a meeting begins from the time `$2` on, or has no stated time and is held on the day `$4`. */
const IS_UPCOMING = `(starts_at >= $2::bigint or (day >= $4::bigint and start_time is not null))`;

const COLUMNS = 'meeting_id, body_id, source_id';

const meetingsOf = (meetings: string): string => withLaterColumns(meetings, [COLUMNS, 'starts_at', 'day'], { start_time: 'text' });

const meetingFacts = (
  [data, version, changedAt, bodySlug, body, jurisdictionSlug, jurisdiction, covered, ...source]: TextRow,
  now: number,
) => ({
  meeting: JSON.parse(data!) as RecordData<'meetings'>,
  version: Number(version),
  changedAt: isoTime(changedAt!),
  body: { slug: bodySlug!, name: body! },
  jurisdiction: { slug: jurisdictionSlug!, name: jurisdiction! },
  covered: covered === 't',
  source: sourceFacts(source, now),
});

/** Meetings as they are published, cancelled ones included. A withdrawn meeting is absent. */
export function createReadMeetings({ reads, clock }: QueryContext) {
  const read = async (chosen: Chosen, values: readonly StatementValue[]): Promise<readonly MeetingFacts[]> => {
    const rows = await reads.texts((live) => meetings(live, chosen, values));
    const now = clock.now();
    return rows.map((row) => meetingFacts(row, now));
  };
  const one = async (chosen: Chosen, id: string): Promise<MeetingFacts | null> => (await read(chosen, [id]))[0] ?? null;
  return {
    ofBodies: ({ bodyIds, timezone, from, before, limit }: MeetingsInput) => {
      const now = (from ?? before)!;
      const [condition, order] = from === undefined ? ['not', '-starts_at'] : ['', 'starts_at'];
      const chosen: Chosen = ({ meetings: table }) =>
        `select ${COLUMNS}, ${order} as rank from ${meetingsOf(table)} m where body_id = any($1::uuid[]) and ${condition} ${IS_UPCOMING}
          order by rank, meeting_id limit $3::int`;
      return read(chosen, [bodyIds, now, limit, localDay(now, timezone)]);
    },
    /** Both take a uuid. */
    byId: (meetingId: string) =>
      one(({ meetings: table }) => `select ${COLUMNS}, 0 as rank from ${table} where meeting_id = $1::uuid`, meetingId),
    ofItem: (itemId: string) =>
      one(
        ({ meetings: table, items }) =>
          `select ${COLUMNS}, 0 as rank from ${table} where meeting_id = (select meeting_id from ${items} where item_id = $1::uuid)`,
        itemId,
      ),
    /** Those whose record changed last. */
    changedLast: (limit: number) =>
      read(
        ({ meetings: table, history }) => `select ${COLUMNS}, rank from ${table} join (
            select h.record_id, -h.position as rank from ${history} h
            where h.resource = 'meetings' and ${isCurrentInOrder('h')} order by h.position desc limit $1::int
          ) h on h.record_id = meeting_id`,
        [limit],
      ),
  };
}
