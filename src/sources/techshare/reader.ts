import { z } from 'zod';
import type { LegistarReader, TechShareClient } from '../../../domain/ports/source-ports.ts';
import { twelveHours } from '../legistar/values.ts';
import { bodyNameIn, derivedNumber, listedReader } from '../listed/listed-reader.ts';

const meetingRow = z.object({
  id: z.string().min(1),
  meetingStartDateTime: z.string(),
  meetingType: z.string().min(1),
  description: z.string().nullish(),
  meetingStatus: z.string().nullish(),
  isPublished: z.boolean().nullish(),
  agendaAttachmentId: z.string().nullish(),
  minutesAttachmentId: z.string().nullish(),
  videoId: z.string().nullish(),
});

/** The minutes of a meeting in this status are final. */
const FINALIZED = 'Finalized';

/** Reads the public portal of TechShare. It gives an agenda as a file alone, so that a meeting has no items. Files that are not published are left out. */
export function techShareReader(client: TechShareClient, portal: string): LegistarReader {
  const file = (id: string | null | undefined): string | null =>
    id == null ? null : `${portal}/api/meetingattachments/download?id=${encodeURIComponent(id)}`;
  return listedReader({
    platform: { sourceType: 'other', label: 'TechShare' },
    list: async () =>
      (await client.meetings()).map((value) => {
        const { data: row } = meetingRow.safeParse(value);
        if (row === undefined) {
          const id = (value as { readonly id?: unknown } | null)?.id;
          return { EventId: typeof id === 'string' ? derivedNumber(id) : undefined };
        }
        const isPublished = row.isPublished === true;
        const minutes = isPublished ? file(row.minutesAttachmentId) : null;
        return {
          EventId: derivedNumber(row.id),
          EventBodyId: derivedNumber(row.meetingType),
          EventBodyName: bodyNameIn(row.meetingType),
          EventTitle: bodyNameIn(row.description ?? row.meetingType),
          EventDate: row.meetingStartDateTime,
          EventTime: twelveHours(row.meetingStartDateTime),
          // The description of a meeting may say that it is cancelled.
          EventName: row.description,
          EventAgendaFile: isPublished ? file(row.agendaAttachmentId) : null,
          EventMinutesFile: minutes,
          EventMinutesStatusName: minutes !== null && row.meetingStatus === FINALIZED ? 'Final' : null,
          EventVideoStatus: row.videoId == null ? null : 'Public',
          EventVideoPath: row.videoId,
          EventInSiteURL: `${portal}/`,
        };
      }),
  });
}
