import { z } from 'zod';
import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import {
  type AgendaReader,
  type OpenCitiesClient,
  type OpenCitiesEntry,
  SourceUnavailable,
} from '../../../domain/ports/source-ports.ts';
import { plainText } from '../../../domain/text/source-text.ts';
import { bodyNameIn, derivedNumber, listedReader } from '../listed/listed-reader.ts';
import { mapInTurns } from '../../../domain/text/steps.ts';

const entryRow = z.object({
  CalendarId: z.string(),
  Id: z.string(),
  MainContentId: z.string(),
  Name: z.string().min(1),
  DateTime: z.string().regex(/^\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d{2}:\d{2} [AP]M$/),
});
const detailsRow = z.object({
  Link: z.string().nullish(),
  Address: z.object({ Formatted: z.string().nullish() }).nullish(),
  IsCancelled: z.boolean().nullish(),
});

const FIRST_YEAR = 2020;
/** An all-day entry, such as a notice or voting dates. It is not a meeting. */
const WHOLE_DAY = /^12:00:00 AM$/;

/** Day first: "1/10/2024 2:00:00 PM" is on the first of October. */
function dayAndTime(dateTime: string) {
  const [date = '', ...time] = dateTime.split(' ');
  const [day = '', month = '', year = ''] = date.split('/');
  return { day: `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`, time: time.join(' ') };
}

/** Reads a calendar of an OpenCities site. The agenda of an entry is a page for people, so meetings have no items. */
export function openCitiesReader(client: OpenCitiesClient, site: string, clock: Clock): AgendaReader {
  const entries = new Map<number, OpenCitiesEntry>();
  return listedReader({
    platform: { sourceType: 'other', label: 'OpenCities' },
    list: async () => {
      const lastYear = Number(dateOfDay(localDay(clock.now(), 'UTC')).slice(0, 4)) + 1;
      const years = Array.from({ length: lastYear - FIRST_YEAR + 1 }, (_, n) => FIRST_YEAR + n);
      const listed: (readonly unknown[])[] = [];
      for (const year of years) listed.push(await client.entries(year));
      const events = await mapInTurns(listed.flat(), (value) => {
        const { data: row } = entryRow.safeParse(value);
        if (row === undefined) return { EventId: undefined };
        const { day, time } = dayAndTime(row.DateTime);
        if (WHOLE_DAY.test(time)) return [];
        // An entry that is repeated has one id.
        const eventId = derivedNumber(row.Id, day);
        entries.set(eventId, row);
        const name = bodyNameIn(row.Name).replace(/(?<=\b(?:board|commission|committee|council))\s+meetings?$/i, '');
        return {
          EventId: eventId,
          EventBodyId: derivedNumber(name),
          EventBodyName: name,
          EventDate: day,
          EventTime: time.replace(/^(\d{1,2}:\d{2}):\d{2}/, '$1'),
          // The name of an entry can contain a notice that it is canceled.
          EventName: row.Name,
          EventInSiteURL: `${site}/`,
        };
      });
      return events.flat();
    },
    details: async (eventId) => {
      const { data, success } = detailsRow.safeParse(await client.details(entries.get(eventId)!));
      if (!success) throw new SourceUnavailable(`the source has no details of the entry ${entries.get(eventId)!.Id}`);
      return {
        ...(data.Link && { EventInSiteURL: data.Link }),
        EventLocation: plainText(data.Address?.Formatted ?? ''),
        ...(data.IsCancelled === true && { EventAgendaStatusName: 'Cancelled' }),
      };
    },
  });
}
