import { z } from 'zod';
import type { AgendaReader, TechShareClient } from '../../../domain/ports/source-ports.ts';
import { toTwelveHourTime } from '../agendas/values.ts';
import { bodyNameIn, derivedNumber, listedReader, meetingNameIn } from '../listed/listed-reader.ts';
import { mapInTurns } from '../../../domain/text/steps.ts';

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

/** Reads the public portal of TechShare. Agendas are files only. Unpublished files are left out. */
export function techShareReader(client: TechShareClient, portal: string): AgendaReader {
  const file = (id: string | null | undefined): string | null =>
    id == null ? null : `${portal}/api/meetingattachments/download?id=${encodeURIComponent(id)}`;
  return listedReader({
    platform: { sourceType: 'other', label: 'TechShare', readsAgendaFiles: true },
    list: async () =>
      mapInTurns(await client.meetings(), (value) => {
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
          EventTitle: meetingNameIn(row.description ?? row.meetingType),
          EventDate: row.meetingStartDateTime,
          EventTime: toTwelveHourTime(row.meetingStartDateTime),
          // The description of a meeting can contain a notice that it is canceled.
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
