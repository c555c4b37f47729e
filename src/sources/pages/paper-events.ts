import type { ListedEvent } from '../listed/listed-reader.ts';
import { dayOfPaper, joinPapers, type PaperRow } from './join-rows.ts';

interface PaperList {
  readonly body: { readonly id: number; readonly name: string };
  /** The papers of the body. The id is null if a row has none. */
  readonly rows: readonly (Omit<PaperRow, 'id'> & { readonly id: number | null })[];
  /** Address of the list, for a meeting without an agenda. */
  readonly list: string;
}

/** Converts the papers of one body to events of Legistar, one for each meeting. */
export function paperEvents({ body, rows, list }: PaperList): readonly ListedEvent[] {
  const papers = new Map<number, PaperRow>();
  for (const row of rows) if (row.id !== null) papers.set(row.id, { ...row, id: row.id, day: dayOfPaper(row) });
  const byDay = Map.groupBy(papers.values(), ({ day }) => day);
  const meetings = [...byDay.values()].flatMap(joinPapers);
  const events = meetings.map(
    (meeting): ListedEvent => ({
      EventId: meeting.id,
      EventBodyId: body.id,
      EventBodyName: body.name,
      EventTitle: meeting.title,
      EventDate: meeting.day,
      // A title can contain a notice that the meeting is canceled.
      EventName: meeting.titles,
      EventAgendaFile: meeting.agenda,
      EventAgendaHtml: meeting.html,
      EventPacketFile: meeting.packet,
      EventMinutesFile: meeting.minutes,
      EventOtherFiles: meeting.others,
      EventInSiteURL: meeting.agenda ?? list,
    }),
  );
  return rows.some(({ id }) => id === null) ? [...events, { EventId: undefined }] : events;
}
