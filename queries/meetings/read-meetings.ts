import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { LiveGeneration, QueryContext } from '../../domain/ports/projection.ts';
import { localDay } from '../../domain/local-day.ts';
import { plainRecord } from '../../domain/records/plain-record.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { currentRow, isCurrentInOrder, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { isPublic } from '../agenda/agenda-fields.ts';
import { isTime } from '../fields.ts';
import { programSql, tablesOf, withLaterColumns } from '../live-tables.ts';
import { SOURCE_COLUMNS, sourceColumns, sourceFacts, type SourceFacts, sourceTable } from './source-facts.ts';

export interface MeetingFacts {
  readonly meeting: RecordData<'meetings'>;
  /** Number of the record's last change, from 1. */
  readonly version: number;
  readonly changedAt: string;
  readonly body: { readonly slug: string; readonly name: string };
  readonly jurisdiction: { readonly slug: string; readonly name: string };
  /** True if the hits of its body are public. */
  readonly covered: boolean;
  readonly source: SourceFacts;
}

export interface MeetingsInput {
  readonly bodyIds: readonly string[];
  /** Time zone of the bodies. A meeting without a time is upcoming until the end of its local day. */
  readonly timezone: string;
  /** Selects meetings upcoming at `from`, ascending, or past at `before`, descending. Milliseconds. */
  readonly from?: number;
  readonly before?: number;
  readonly limit: number;
}

const meetingRow = z.object({
  data: z.custom<RecordData<'meetings'>>(),
  version: z.number(),
  changedAt: isTime,
  bodySlug: z.string(),
  bodyName: z.string(),
  placeSlug: z.string(),
  placeName: z.string(),
  covered: z.boolean(),
  ...sourceColumns,
});

/** Selects `meeting_id`, `body_id`, `source_id` and `rank`, the order of the rows. */
type Chosen = (names: {
  readonly meetings: string;
  readonly items: string;
  readonly history: string;
}) => FragmentSqlToken;

function meetingRows(live: LiveGeneration, chosen: Chosen) {
  const search = tablesOf(AGENDA_SEARCH, live(AGENDA_SEARCH.name));
  const agenda = tablesOf(AGENDA, live(AGENDA.name));
  const { history, isLive } = tablesOf(RECORD_HISTORY, live(RECORD_HISTORY.name));
  const areLive = programSql(`${search.isLive} and ${agenda.isLive} and ${isLive}`);
  return sql.type(meetingRow)`
    with m as materialized (${chosen({ ...search, history })})
    select h.body::json as data, h.version, h.changed_at as "changedAt", b.slug as "bodySlug", b.name as "bodyName",
      j.slug as "placeSlug", j.name as "placeName",
      exists (
        select from ${programSql(agenda.coveredBodies)} c where c.body_id = m.body_id and ${programSql(isPublic('c'))}
      ) as covered,
      ${programSql(SOURCE_COLUMNS)}
    from m cross join ${programSql(currentRow(history, 'h', { id: 'm.meeting_id', resource: `'meetings'` }))}
    join ${programSql(search.bodies)} b on b.body_id = m.body_id
    join ${programSql(search.jurisdictions)} j on j.jurisdiction_id = b.jurisdiction_id
    left join lateral ${programSql(sourceTable(agenda.sources, 'm.source_id', 'm.body_id'))} on true
    where ${areLive} order by m.rank, m.meeting_id`;
}

const COLUMNS = 'meeting_id, body_id, source_id';

const withStartTime = (meetings: string): string =>
  withLaterColumns(meetings, [COLUMNS, 'starts_at', 'day'], { start_time: 'text' });

/**
 * Selects meetings that begin at or after a time, or before it. A meeting without a time is upcoming until its day is
 * over.
 */
const chosenOfBodies =
  ({ bodyIds, timezone, from, before, limit }: MeetingsInput): Chosen =>
  ({ meetings }) => {
    const now = (from ?? before)!;
    const isUpcoming = sql.fragment`(starts_at >= ${now}::bigint
      or (day >= ${localDay(now, timezone)}::bigint and start_time is not null))`;
    const [isChosen, rank] =
      from === undefined
        ? [sql.fragment`not ${isUpcoming}`, sql.fragment`-starts_at`]
        : [isUpcoming, sql.fragment`starts_at`];
    return sql.fragment`select ${programSql(COLUMNS)}, ${rank} as rank from ${programSql(withStartTime(meetings))} m
      where body_id = any(${sql.array(bodyIds, 'uuid')}) and ${isChosen} order by rank, meeting_id limit ${limit}::int`;
  };

const chosenById =
  (meetingId: string): Chosen =>
  ({ meetings }) =>
    sql.fragment`select ${programSql(`${COLUMNS}, 0 as rank from ${meetings}`)} where meeting_id = ${meetingId}::uuid`;

const chosenOfItem =
  (itemId: string): Chosen =>
  ({ meetings, items }) =>
    sql.fragment`select ${programSql(`${COLUMNS}, 0 as rank from ${meetings}`)}
      where meeting_id = (select meeting_id from ${programSql(items)} where item_id = ${itemId}::uuid)`;

const chosenLastChanged =
  (limit: number): Chosen =>
  ({ meetings, history }) =>
    sql.fragment`select ${programSql(`${COLUMNS}, rank from ${meetings}`)} join (
      select h.record_id, -h.position as rank from ${programSql(history)} h
      where h.resource = 'meetings' and ${programSql(isCurrentInOrder('h'))}
      order by h.position desc limit ${limit}::int
    ) h on h.record_id = meeting_id`;

const meetingFacts = (
  {
    data,
    version,
    changedAt,
    bodySlug,
    bodyName,
    placeSlug,
    placeName,
    covered,
    ...source
  }: z.output<typeof meetingRow>,
  now: number,
): MeetingFacts => ({
  meeting: plainRecord(data),
  version,
  changedAt,
  body: { slug: bodySlug, name: bodyName },
  jurisdiction: { slug: placeSlug, name: placeName },
  covered,
  source: sourceFacts(source, now),
});

/** Reads published meetings, including canceled ones and without withdrawn ones. */
export function createReadMeetings({ reads, clock }: QueryContext) {
  const readMeetings = async (chosen: Chosen): Promise<readonly MeetingFacts[]> => {
    const rows = await reads.many((live) => meetingRows(live, chosen));
    const now = clock.now();
    return rows.map((row) => meetingFacts(row, now));
  };
  const readFirst = async (chosen: Chosen): Promise<MeetingFacts | null> => (await readMeetings(chosen))[0] ?? null;
  return {
    ofBodies: (input: MeetingsInput) => readMeetings(chosenOfBodies(input)),
    /** The id of `byId` and `changesOf` is a uuid. */
    byId: (meetingId: string) => readFirst(chosenById(meetingId)),
    ofItem: (itemId: string) => readFirst(chosenOfItem(itemId)),
    /** Returns the meetings whose records changed last. */
    recentlyChanged: (limit: number) => readMeetings(chosenLastChanged(limit)),
  };
}
