import { z } from 'zod';
import type { CivicClerkClient, LegistarReader } from '../../../domain/ports/source-ports.ts';
import { twelveHours } from '../legistar/values.ts';
import { bodyNameIn, listedReader } from '../listed/listed-reader.ts';

const text = z.string().nullish();
const eventRow = z.object({
  id: z.int(),
  eventName: z.string().min(1),
  startDateTime: z.string(),
  categoryId: z.int(),
  eventLocation: z.object({ address1: text, address2: text, city: text, state: text, zipCode: text }).nullish(),
  publishedFiles: z.array(z.object({ fileId: z.int(), type: z.string() })).nullish(),
});

/** Reads the events of a CivicClerk client. It gives an agenda as a file alone, so that a meeting has no items. */
export function civicClerkReader(client: CivicClerkClient, portal: string): LegistarReader {
  return listedReader({
    platform: { sourceType: 'civicclerk', label: 'CivicClerk' },
    list: async () =>
      (await client.events()).map((value) => {
        const { data: row } = eventRow.safeParse(value);
        if (row === undefined) return { EventId: (value as { readonly id?: unknown } | null)?.id };
        const { address1, address2, city, state, zipCode } = row.eventLocation ?? {};
        const file = (type: string): string | null => {
          const found = row.publishedFiles?.find((published) => published.type === type);
          return found === undefined ? null : `${portal}/event/${row.id}/files/agenda/${found.fileId}`;
        };
        return {
          EventId: row.id,
          EventBodyId: row.categoryId,
          EventBodyName: bodyNameIn(row.eventName),
          EventTitle: bodyNameIn(row.eventName),
          EventDate: row.startDateTime,
          // The time where the meeting is held, although it ends in Z.
          EventTime: twelveHours(row.startDateTime),
          EventLocation: [address1, address2, city, [state, zipCode].filter(Boolean).join(' ')].filter(Boolean).join(', '),
          // The name of an event may say that it is cancelled.
          EventName: row.eventName,
          EventAgendaFile: file('Agenda'),
          EventMinutesFile: file('Minutes'),
          EventInSiteURL: `${portal}/event/${row.id}/files`,
        };
      }),
  });
}
