import { z } from 'zod';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { CivicWebClient, AgendaReader } from '../../../domain/ports/source-ports.ts';
import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import { plainText } from '../../../domain/text/source-text.ts';
import { bodyNameIn, listedReader, meetingNameIn } from '../listed/listed-reader.ts';
import { runInTurns, mapInTurns } from '../../../domain/text/steps.ts';
import { agendaRowsInSteps } from './agenda-rows.ts';

const meetingRow = z.object({
  Id: z.int(),
  TypeId: z.int(),
  Name: z.string(),
  MeetingDate: z.string(),
  MeetingTime: z.string().nullish(),
  MeetingLocation: z.string().nullish(),
  Published: z.boolean().nullish(),
});
const documentRow = z.object({
  Id: z.int(),
  DocumentType: z.int(),
  Html: z.string().nullish(),
  IsPublic: z.boolean().nullish(),
});

/** The type of the document that is the agenda as HTML. */
const AGENDA = 1;
const FIRST_DAY = '2000-01-01';
const YEAR_DAYS = 366;

/** Reads a CivicWeb portal. Meetings that are not published are not listed. */
export function civicWebReader(client: CivicWebClient, portal: string, clock: Clock): AgendaReader {
  const agendaOf = async (meetingId: number) =>
    (await client.documents(meetingId))
      .flatMap((row) => documentRow.safeParse(row).data ?? [])
      .find((document) => document.DocumentType === AGENDA && document.IsPublic === true);
  return listedReader({
    platform: { sourceType: 'other', label: 'CivicWeb', readsAgendaFiles: true },
    list: async () => {
      const to = dateOfDay(localDay(clock.now(), 'UTC') + YEAR_DAYS);
      const events = await mapInTurns(await client.meetings(FIRST_DAY, to), (value) => {
        const { data: row } = meetingRow.safeParse(value);
        if (row === undefined) return { EventId: (value as { readonly Id?: unknown } | null)?.Id };
        if (row.Published === false) return [];
        return {
          EventId: row.Id,
          EventBodyId: row.TypeId,
          EventBodyName: bodyNameIn(row.Name),
          EventTitle: meetingNameIn(row.Name),
          EventDate: row.MeetingDate,
          EventTime: row.MeetingTime,
          EventLocation: row.MeetingLocation,
          // The name of a meeting can contain a notice that it is canceled.
          EventName: row.Name,
          EventInSiteURL: `${portal}/Portal/MeetingSchedule.aspx`,
        };
      });
      return events.flat();
    },
    eventItems: async (eventId) =>
      runInTurns(agendaRowsInSteps(eventId, (await agendaOf(eventId))?.Html ?? '', portal)),
    details: async (eventId) => {
      const agenda = await agendaOf(eventId);
      if (agenda === undefined) return { EventAgendaFile: null };
      const address = `${portal}/document/${agenda.Id}`;
      const hasText = plainText(agenda.Html ?? '').trim() !== '';
      return { EventAgendaFile: address, EventAgendaHasText: hasText, EventInSiteURL: address };
    },
  });
}
