import { z } from 'zod';
import type { CivicClerkClient, AgendaReader } from '../../../domain/ports/source-ports.ts';
import { civicClerkItemsInSteps } from './agenda-items.ts';
import { oneLine, toTwelveHourTime } from '../agendas/values.ts';
import { bodyNameIn, derivedNumber, type ListedEvent, listedReader, meetingNameIn } from '../listed/listed-reader.ts';
import { bodyOfTitle, isGenericBody } from '../pages/body-words.ts';
import { mapInTurns, runInTurns } from '../../../domain/text/steps.ts';

const text = z.string().nullish();
const publishedFile = z.object({ fileId: z.int(), type: z.string(), name: text, publishOn: text });
type PublishedFile = z.output<typeof publishedFile>;
const category = { id: z.int(), categoryId: z.int().nullish(), categoryName: text, eventName: text };
const stateRow = z.object({ ...category, isDeleted: z.unknown().optional(), isPublished: z.unknown().optional() });
const eventRow = z.object({
  ...category,
  eventName: z.string().min(1),
  eventDescription: text,
  agendaName: text,
  eventNotice: text,
  startDateTime: z.string(),
  eventLocation: z.object({ address1: text, address2: text, city: text, state: text, zipCode: text }).nullish(),
  publishedFiles: z.array(publishedFile).nullish(),
});

const agendaOfEvent = z.object({ id: z.int(), agendaId: z.int().nullish() });

const DELETED: ReadonlySet<unknown> = new Set([true, 'true', 'True', 1, '1']);
const PUBLISHED: ReadonlySet<unknown> = new Set(['Published', 'published', true]);

/** The body is the category, or that of the name of the event where the category is none, such as "General" or "Commission". */
function bodyOf({ categoryId, categoryName, eventName }: Pick<z.output<typeof stateRow>, keyof typeof category>) {
  const categoryBody = oneLine(categoryName);
  const named = bodyNameIn(eventName ?? '');
  const titled = categoryBody !== null && isGenericBody(categoryBody) ? bodyOfTitle(named) : null;
  if (titled !== null) return { EventBodyId: derivedNumber(titled.toLowerCase()), EventBodyName: titled };
  const name = categoryBody ?? named;
  return { EventBodyId: categoryId ?? derivedNumber(name), EventBodyName: name };
}

/** Returns the row of an event that is not public, with the reason; null for a public one. An event without these fields is public. */
function hiddenEvent(event: unknown): ListedEvent | null {
  const { data: state } = stateRow.safeParse(event);
  if (state === undefined) return null;
  const hide = (EventHidden: string) => ({ EventId: state.id, ...bodyOf(state), EventDate: '', EventHidden });
  if (DELETED.has(state.isDeleted)) return hide('the source has deleted it');
  if (state.isPublished === undefined || PUBLISHED.has(state.isPublished)) return null;
  return hide(`the source has not published it (${JSON.stringify(state.isPublished)})`);
}

/** The version that a name states: 3 for "Agenda Packet v3", 1 for "Agenda Revised". */
function versionOf(name: string | null | undefined): number {
  const version = /\b(?:v|ver|version|revision|rev)[. #]{0,2}(\d{1,3})\b/i.exec(name ?? '')?.[1];
  return version === undefined
    ? Number(/\b(?:revised|revision|amended|corrected|updated)\b/i.test(name ?? ''))
    : Number(version);
}

/** Orders files of one type: the latest published first, then the higher version. */
function compareNewestFirst(left: PublishedFile, right: PublishedFile): number {
  const [before, after] = [left.publishOn ?? '', right.publishOn ?? ''];
  if (before !== after) return before < after ? 1 : -1;
  return versionOf(right.name) - versionOf(left.name) || right.fileId - left.fileId;
}

interface CivicClerkAddresses {
  /** Origin of the portal that people visit. */
  readonly portal: string;
  /** Address of the event service, which ends in `/v1`. */
  readonly api: string;
}

function listedEvent(event: unknown, { portal, api }: CivicClerkAddresses): ListedEvent {
  const { data: row } = eventRow.safeParse(event);
  if (row === undefined) return { EventId: (event as { readonly id?: unknown } | null)?.id };
  const { address1, address2, city, state, zipCode } = row.eventLocation ?? {};
  const newestOf = (type: string): number | null =>
    (row.publishedFiles ?? []).filter((file) => file.type === type).toSorted(compareNewestFirst)[0]?.fileId ?? null;
  const address = (type: string): string | null => {
    const fileId = newestOf(type);
    return fileId === null ? null : `${portal}/event/${row.id}/files/agenda/${fileId}`;
  };
  // The portal shows a page; the event service sends the file.
  const download = (type: string): string | null => {
    const fileId = newestOf(type);
    return fileId === null ? null : `${api}/Meetings/GetMeetingFileStream(fileId=${fileId},plainText=false)`;
  };
  const noticeNames = (row.publishedFiles ?? []).filter(({ type }) => type === 'Notice').map(({ name }) => name);
  return {
    EventId: row.id,
    ...bodyOf(row),
    EventTitle: meetingNameIn(row.eventName),
    EventDate: row.startDateTime,
    // Local time of the meeting, although it ends in Z.
    EventTime: toTwelveHourTime(row.startDateTime),
    EventLocation: [...new Set([address1, address2, city, [state, zipCode].filter(Boolean).join(' ')])]
      .filter(Boolean)
      .join(', '),
    EventComment: [row.eventNotice, row.eventDescription].filter(Boolean).join('\n'),
    // The names of an event, of its agenda and of its notices can state that it is canceled.
    EventName: [row.eventName, row.agendaName, ...noticeNames].filter(Boolean).join('\n'),
    EventAgendaFile: address('Agenda'),
    EventAgendaDownload: download('Agenda'),
    EventPacketFile: address('Agenda Packet'),
    EventPacketDownload: download('Agenda Packet'),
    EventMinutesFile: address('Minutes'),
    EventInSiteURL: `${portal}/event/${row.id}/files`,
  };
}

/** A body that a category and the name of an event state has the id of the category, which is the smaller one. */
function withOneIdPerBody(events: readonly ListedEvent[]): readonly ListedEvent[] {
  const ids = new Map<string, number>();
  for (const event of events) {
    if (!('EventBodyName' in event)) continue;
    const key = event.EventBodyName.toLowerCase();
    ids.set(key, Math.min(event.EventBodyId, ids.get(key) ?? Infinity));
  }
  return events.map((event) =>
    'EventBodyName' in event ? { ...event, EventBodyId: ids.get(event.EventBodyName.toLowerCase())! } : event,
  );
}

/** Reads the events of a CivicClerk client. An agenda without a list of items is read from its file. */
export function civicClerkReader(client: CivicClerkClient, addresses: CivicClerkAddresses): AgendaReader {
  const agendaIds = new Map<number, number>();
  return listedReader({
    platform: { sourceType: 'civicclerk', label: 'CivicClerk', readsAgendaFiles: true },
    list: async () => {
      const events = await mapInTurns(await client.events(), (event) => {
        const { data: row } = agendaOfEvent.safeParse(event);
        if (row?.agendaId != null && row.agendaId > 0) agendaIds.set(row.id, row.agendaId);
        return hiddenEvent(event) ?? listedEvent(event, addresses);
      });
      return withOneIdPerBody(events);
    },
    eventItems: async (eventId) => {
      const agendaId = agendaIds.get(eventId);
      return agendaId === undefined ? [] : runInTurns(civicClerkItemsInSteps(await client.agenda(agendaId)));
    },
  });
}
