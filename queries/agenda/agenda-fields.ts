import type { AgendaItem } from '../../contract/tools/get-agenda-item.ts';
import { type SourceStatus, sourceStatusAt } from '../../domain/health.ts';
import { dateOfDay, LONGEST_DAY_MS } from '../../domain/local-day.ts';
import { isoTime, unlessNull } from '../fields.ts';
import { AGENDA, COVERAGE } from '../../projections/agenda/tables.ts';
import type { ReadDatabase } from '../../domain/ports/database.ts';

/**
 * Returns status and last check of a source from its text columns; `unknown` without a source. `now` is in
 * milliseconds.
 */
export function freshnessAt(status: string | null, succeededAt: string | null, now: number): AgendaItem['freshness'] {
  const checkedAt = succeededAt === null ? null : Number(succeededAt);
  return {
    status: sourceStatusAt((status ?? 'unknown') as SourceStatus, checkedAt, now),
    lastSuccessfulCheckAt: isoTime(succeededAt),
  };
}

interface MeetingColumns {
  readonly startsAt: string;
  readonly day: string;
  readonly timezone: string | null | undefined;
  readonly startTime: string | null | undefined;
}

/** Converts the columns of a meeting to its time. */
export const meetingTimeOf = ({ startsAt, day, timezone, startTime }: MeetingColumns) => ({
  meetingAt: isoTime(startsAt),
  ...unlessNull('startTime', startTime == null ? null : (JSON.parse(startTime) as AgendaItem['startTime'])),
  meetingDate: dateOfDay(Number(day)),
  ...unlessNull('timezone', timezone),
});

/**
 * Returns SQL: true if public operations show a body. In version 1 of the read model, all covered bodies are public.
 */
export const isPublic = (body: string): string =>
  `(to_jsonb(${body}) ->> 'coverage') is distinct from '${COVERAGE.read}'`;

/**
 * Returns SQL: true if the meeting of a row is upcoming at a time, which is a parameter. The first condition uses the
 * index.
 */
export const isUpcoming = (row: string, time: string): string =>
  `${row}.starts_at >= ${time}::bigint - ${LONGEST_DAY_MS} and ${upcomingUntil(row)} >= ${time}::bigint`;

/** Returns SQL for the end of a meeting. In version 2 of the read model, a meeting is upcoming until it starts. */
export const upcomingUntil = (row: string): string => `coalesce(${row}.upcoming_until, ${row}.starts_at)`;

/**
 * Returns a slug as a parameter, or null. Replaces NUL, which PostgreSQL rejects, by a character that no slug contains.
 */
export const slugFilter = (slug: string | undefined): string | null => slug?.replaceAll('\0', '\ufffd') ?? null;

/** Returns SQL for the current and former slugs of a body. Version 3 of the read model lacks the column. */
const slugsOf = (body: string): string => `string_to_array(to_jsonb(${body}) ->> 'slugs', ' ')`;

/**
 * Returns SQL: true if a slug, a parameter, is the body's own or a former one that no other body of its place has now.
 */
export const hasSlug = (bodies: string, bodyId: string, slug: string): string => `exists (
  select from ${bodies} n where n.body_id = ${bodyId}
    and (n.slug = ${slug} or ${slug} = any(${slugsOf('n')}) and not exists (
    select from ${bodies} o where o.jurisdiction_id = n.jurisdiction_id and o.slug = ${slug}
  ))
)`;

const POSITION = `select g.generation || ':' || g.checkpoint as position from civic.projections p
  join civic.generations g on g.generation = p.live_generation where p.name = $1`;

/** Returns a text that changes with each fold into the agenda and each switch. Empty without a generation. */
export async function readAgendaPosition(database: ReadDatabase): Promise<string> {
  const statement = { name: 'agenda_position', text: POSITION, values: [AGENDA.name] };
  const [row] = await database.rows<{ position: string }>(statement);
  return row?.position ?? '';
}

/** Returns SQL for the time zone of a meeting; null in version 1 of the read model, which lacks the column. */
export const timezoneOf = (meeting: string): string => `to_jsonb(${meeting}) ->> 'timezone'`;

/** Returns SQL for details of the start time as JSON; null for an exact time and before version 4 of the read model. */
export const startTimeOf = (meeting: string): string => `to_jsonb(${meeting}) ->> 'start_time'`;

/** Returns SQL for the source of a meeting `m`, or the source of its body if the meeting has no known one. */
export const sourceOf = (sources: string): string => `(
  select s.type, s.status, s.succeeded_at from ${sources} s where s.source_id = m.source_id or s.body_id = m.body_id
  order by s.source_id = m.source_id desc nulls last, s.active desc, s.created_at, s.source_id limit 1
) s`;
