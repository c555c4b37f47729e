import type { AgendaItem } from '../../contract/tools/get-agenda-item.ts';
import { type SourceStatus, sourceStatusAt } from '../../domain/health.ts';
import { dateOfDay, LONGEST_DAY_MS } from '../../domain/local-day.ts';
import { isoTime, unlessNull } from '../fields.ts';
import { AGENDA, COVERAGE } from '../../projections/agenda/tables.ts';
import type { ReadDatabase } from '../../domain/ports/database.ts';

/** Status and last check of a source from the text of its columns; `unknown` without a source. `now` in milliseconds. */
export function freshnessAt(status: string | null, succeededAt: string | null, now: number): AgendaItem['freshness'] {
  const checkedAt = succeededAt === null ? null : Number(succeededAt);
  return { status: sourceStatusAt((status ?? 'unknown') as SourceStatus, checkedAt, now), lastSuccessfulCheckAt: isoTime(succeededAt) };
}

interface MeetingColumns {
  readonly startsAt: string;
  readonly day: string;
  readonly timezone: string | null | undefined;
  readonly startTime: string | null | undefined;
}

/** From the columns of a meeting. */
export const meetingTimeOf = ({ startsAt, day, timezone, startTime }: MeetingColumns) => ({
  meetingAt: isoTime(startsAt),
  ...unlessNull('startTime', startTime == null ? null : (JSON.parse(startTime) as AgendaItem['startTime'])),
  meetingDate: dateOfDay(Number(day)),
  ...unlessNull('timezone', timezone),
});

/** SQL: whether public operations show a covered body. Version 1 of the read model lacks the column: its covered bodies are all public. */
export const isPublic = (body: string): string => `(to_jsonb(${body}) ->> 'coverage') is distinct from '${COVERAGE.read}'`;

/** SQL: whether the row `row` is of a meeting that is upcoming at a time, a parameter. The first condition is one on the index. */
export const isUpcoming = (row: string, time: string): string =>
  `${row}.starts_at >= ${time}::bigint - ${LONGEST_DAY_MS} and ${upcomingUntil(row)} >= ${time}::bigint`;

/** Version 2 of the read model lacks the column: there a meeting is upcoming until it starts. */
export const upcomingUntil = (row: string): string => `coalesce(${row}.upcoming_until, ${row}.starts_at)`;

/** A slug as a parameter, null for none. U+0000, which PostgreSQL refuses in a text, becomes a character that no slug has. */
export const slugFilter = (slug: string | undefined): string | null => slug?.replaceAll('\0', '\ufffd') ?? null;

const POSITION = `select g.generation || ':' || g.checkpoint from civic.projections p
  join civic.generations g on g.generation = p.live_generation where p.name = $1`;

/** A text that changes with each fold into the agenda and with each switch of its generation. Empty without a generation. */
export async function readAgendaPosition(database: ReadDatabase): Promise<string> {
  const [row] = await database.texts({ name: 'agenda_position', text: POSITION, values: [AGENDA.name] });
  return row?.[0] ?? '';
}

/** The time zone of a meeting; null in version 1 of the read model, which has no such column and is read while version 2 is built. */
export const timezoneOf = (meeting: string): string => `to_jsonb(${meeting}) ->> 'timezone'`;

/** How the start of a meeting is stated, as JSON; null where it is stated, and before version 4 of the read model. */
export const startTimeOf = (meeting: string): string => `to_jsonb(${meeting}) ->> 'start_time'`;

/** The source of a meeting `m`; where it names no known one, the source of its body. */
export const sourceOf = (sources: string): string => `(
  select s.type, s.status, s.succeeded_at from ${sources} s where s.source_id = m.source_id or s.body_id = m.body_id
  order by s.source_id = m.source_id desc nulls last, s.active desc, s.created_at, s.source_id limit 1
) s`;
