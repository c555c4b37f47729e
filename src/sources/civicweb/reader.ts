import { z } from 'zod';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { CivicWebClient, LegistarReader } from '../../../domain/ports/source-ports.ts';
import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import { agendaRows } from './agenda-rows.ts';

const meetingRow = z.object({
  Id: z.int(),
  TypeId: z.int(),
  Name: z.string(),
  MeetingDate: z.string(),
  MeetingTime: z.string().nullish(),
  MeetingLocation: z.string().nullish(),
  Published: z.boolean().nullish(),
});
type MeetingRow = z.output<typeof meetingRow>;
const documentRow = z.object({ Id: z.int(), DocumentType: z.int(), Html: z.string().nullish(), IsPublic: z.boolean().nullish() });

/** The type of the document that is the agenda as HTML. */
const AGENDA = 1;
const FIRST_DAY = '2000-01-01';
const YEAR_DAYS = 366;

/** "CANCELLED - Commissioners Court - May 19 2026" is a meeting of the Commissioners Court. */
const bodyOf = (name: string): string =>
  name.replace(/\s+-\s+[A-Z][a-z]{2,8} \d{1,2},? \d{4}$/, '').replace(/^(?:cancell?ed|postponed|rescheduled)\b[\s:–-]*/i, '');

function mostFrequent(names: readonly string[]): string {
  const counts = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => ({ name, length }));
  return counts.toSorted((left, right) => right.length - left.length)[0]!.name;
}

/** Reads a CivicWeb portal in the form of the Legistar Web API. Meetings that are not published are not listed. */
export function civicWebReader(client: CivicWebClient, portal: string, clock: Clock): LegistarReader {
  const list = async (from: string) => {
    const to = dateOfDay(localDay(clock.now(), 'UTC') + YEAR_DAYS);
    const rows = (await client.meetings(from, to)).map((row) => ({ row, parsed: meetingRow.safeParse(row) }));
    return rows.filter(({ parsed }) => parsed.data?.Published !== false);
  };
  const readable = async (from: string): Promise<readonly MeetingRow[]> => (await list(from)).flatMap(({ parsed }) => parsed.data ?? []);
  const agendaOf = async (meetingId: number) =>
    (await client.documents(meetingId))
      .flatMap((row) => documentRow.safeParse(row).data ?? [])
      .find((document) => document.DocumentType === AGENDA && document.IsPublic === true);
  const eventOf = (row: MeetingRow) => ({
    EventId: row.Id,
    EventBodyId: row.TypeId,
    EventBodyName: bodyOf(row.Name),
    EventDate: row.MeetingDate,
    EventTime: row.MeetingTime,
    EventLocation: row.MeetingLocation,
    // The name of a meeting may say that it is cancelled.
    EventComment: row.Name,
    EventInSiteURL: `${portal}/Portal/MeetingSchedule.aspx`,
  });
  return {
    platform: { sourceType: 'other', label: 'CivicWeb' },
    bodies: async () => {
      const byType = Map.groupBy(await readable(FIRST_DAY), ({ TypeId }) => TypeId);
      return [...byType].map(([BodyId, rows]) => ({ BodyId, BodyName: mostFrequent(rows.map(({ Name }) => bodyOf(Name))) }));
    },
    events: async (from) =>
      (await list(from ?? FIRST_DAY)).map(({ row, parsed }) =>
        parsed.success ? eventOf(parsed.data) : { EventId: (row as { readonly Id?: unknown } | null)?.Id },
      ),
    event: async (eventId) => {
      const row = (await readable(FIRST_DAY)).find(({ Id }) => Id === eventId);
      return row === undefined ? null : eventOf(row);
    },
    eventItems: async (eventId) => agendaRows(eventId, (await agendaOf(eventId))?.Html ?? '', portal),
    agendaFile: async (eventId) => {
      const agenda = await agendaOf(eventId);
      return agenda === undefined ? null : `${portal}/document/${agenda.Id}`;
    },
  };
}
