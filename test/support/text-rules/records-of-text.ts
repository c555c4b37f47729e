import type { AgendaRow } from '../../../domain/agenda/kinds.ts';
import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import { type EventItemRow, type EventRow, eventItemRow, eventRow } from '../../../src/sources/agendas/rows.ts';
import { subject } from '../classifier-subjects.ts';
import { drawnPage } from '../agenda-pages.ts';

const ITEM_TEXTS = [
  'title',
  'text',
  'matterFile',
  'matterType',
  'matterName',
  'matterStatus',
  'actionText',
  'agendaNumber',
  'section',
];
const named = (names: readonly string[], text: string) => Object.fromEntries(names.map((name) => [name, text]));
/** Fields of a row that take any text. */
const textsIn = (
  shape: Readonly<Record<string, { safeParse(value: unknown): { readonly success: boolean } }>>,
): readonly string[] => Object.entries(shape).flatMap(([name, field]) => (field.safeParse('text').success ? name : []));

/** An agenda item, each text of which is this one. */
const itemOfText = (text: string): RecordData<'agenda_items'> => ({
  ...subject('Any title').item,
  ...named(ITEM_TEXTS, text),
  actions: [{ text, outcome: null }],
});

/** An item of a title and nothing else. */
export const bareItemOfText = (title: string): RecordData<'agenda_items'> => ({
  ...subject('Any title').item,
  ...{ title, agendaNumber: null, text: null, matterFile: null, matterType: null, actionText: null, outcome: null },
});

/** The item with a meeting, a body and a place, each text of which is this one. */
export function subjectOfText(text: string): ClassificationSubject {
  const { meeting, body, jurisdiction } = subject('Any title');
  return {
    item: itemOfText(text),
    meeting: { ...meeting, title: text, location: text },
    body: { ...body, name: text },
    jurisdiction: { ...jurisdiction, name: text },
  };
}

/** The same of an event of Legistar, whose day and link can be read. */
export const eventOfText = (text: string): EventRow => ({
  ...eventRow.parse({ EventId: 1, EventBodyId: 7, EventDate: '2026-03-03T00:00:00' }),
  ...named(textsIn(eventRow.shape), text),
  EventDate: '2026-03-03T00:00:00',
  EventInSiteURL: 'https://site.example.org/MeetingDetail.aspx?ID=1',
  EventAgendaLastPublishedUTC: '2026-03-01T00:00:00',
});

/** The same of a row of an agenda. */
export const rowOfText = (text: string): EventItemRow => ({
  ...eventItemRow.parse({ EventItemId: 11 }),
  ...named(textsIn(eventItemRow.shape), text),
});

/** The same of a row of an agenda of any platform. */
export const agendaRowOfText = (text: string): AgendaRow => ({
  title: text,
  agendaNumber: text,
  text,
  matterFile: null,
  matterType: null,
  actionText: null,
  outcome: null,
  hasAttachments: false,
  hasVotes: false,
});

/** An agenda in which the text is a line of the head, a title and a line below it. */
export const documentOfText = (text: string) => {
  const line = text.replaceAll('\n', ' ');
  const page = `AGENDA\n${line}\n1. Call to Order\n2. ${line}\n${line}\n3. Adjournment`;
  return { pageCount: 1, pageWidth: 612, lines: drawnPage(page) };
};
