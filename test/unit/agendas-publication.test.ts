import { expect, test } from 'vitest';
import { derivedId } from '../../domain/identifiers.ts';
import { type EventPlace, mapEvent } from '../../src/sources/agendas/map-event.ts';
import { isAgendaPublished, whyEventIsHidden } from '../../src/sources/agendas/publication.ts';
import { eventItemRow, eventRow } from '../../src/sources/agendas/rows.ts';

const PLACE: EventPlace = {
  client: 'example',
  timezone: 'America/Chicago',
  body: { name: 'City Council', publicBodyId: derivedId('test', 'body'), sourceId: derivedId('test', 'source') },
  known: null,
};
const FILE = 'https://site.example.org/View.ashx?M=A&ID=1';

const event = (fields: object) =>
  eventRow.parse({
    EventId: 1,
    EventBodyId: 7,
    EventDate: '2026-03-10T00:00:00',
    EventTime: '6:00 PM',
    EventInSiteURL: 'https://site.example.org/MeetingDetail.aspx?ID=1',
    ...fields,
  });

function mapped(fields: object, item: object = {}) {
  const rows = [
    eventItemRow.parse({ EventItemId: 11, EventItemAgendaSequence: 1, EventItemTitle: 'Example', ...item }),
  ];
  const result = mapEvent(event(fields), rows, PLACE);
  if (result.kind === 'skipped') throw new Error(result.skipped.reason);
  return result;
}

const resources = (fields: object, item: object = {}) => mapped(fields, item).changes.map(({ resource }) => resource);

test.each([
  'Draft',
  'DRAFT - in review',
  'Not published',
  'Unpublished',
  'In Progress',
  'Tentative',
  'Preliminary agenda',
  'Agenda draft',
  'Borrador',
])('an agenda that is %j and was never published gives the meeting alone', (EventAgendaStatusName) => {
  const result = mapped({ EventAgendaStatusName });
  expect(result.changes.map(({ resource }) => resource)).toEqual(['meetings']);
  expect(result.skipped).toEqual([
    { what: 'event', id: '1', reason: 'the source has not published its agenda', isIntended: true },
  ]);
});

test('a draft with a file gives no document and a preliminary agenda with a file is published', () => {
  expect(resources({ EventAgendaStatusName: 'Draft', EventAgendaFile: FILE })).toEqual(['meetings']);
  expect(resources({ EventAgendaStatusName: 'Tentative', EventAgendaFile: FILE })).toContain('agenda_items');
});

test.each([
  [{ EventAgendaStatusName: 'Draft', EventAgendaLastPublishedUTC: '2026-03-06T21:30:00' }, true],
  [{ EventAgendaStatusName: 'Draft', EventAgendaLastPublishedUTC: '0001-01-01T00:00:00Z' }, false],
  [{ EventAgendaStatusName: 'Final' }, true],
  [{ EventAgendaStatusName: 'Deferred' }, true],
  [{}, true],
])('an agenda of %j is published: %j', (fields, isPublished) => {
  expect(isAgendaPublished(event(fields))).toBe(isPublished);
});

test('an unpublished notice on a draft agenda does not cancel the meeting, and a comment does', () => {
  const notice = { EventItemTitle: 'THIS MEETING IS CANCELLED' };
  const status = (fields: object) =>
    (mapped(fields, notice).changes[0] as { content: { status: string } }).content.status;
  expect(status({ EventAgendaStatusName: 'Draft' })).toBe('scheduled');
  expect(status({ EventAgendaStatusName: 'Draft', EventComment: 'CANCELLED' })).toBe('cancelled');
  expect(status({ EventAgendaStatusName: 'Final' })).toBe('cancelled');
});

test.each([
  'Not Viewable by the Public',
  'NOT VIEWABLE BY THE PUBLIC',
  'Draft - not for public',
  'Draft (not for public release)',
  'Not Public',
  'Not visible to the public',
  'Internal use only',
  'Staff only',
  'Confidential',
])('an event whose agenda is %j is hidden, also once it was published', (EventAgendaStatusName) => {
  const fields = { EventAgendaStatusName, EventAgendaLastPublishedUTC: '2026-03-06T21:30:00' };
  expect(whyEventIsHidden(event(fields))).toMatch(/does not show it to the public/);
});

test.each(['Final', 'Draft', 'Public hearing', 'Not a public hearing', 'Public', 'Not ready for public hearing', null])(
  'an event whose agenda is %j is not hidden',
  (EventAgendaStatusName) => {
    expect(whyEventIsHidden(event({ EventAgendaStatusName }))).toBeNull();
  },
);

test('minutes that are not public hide their file, and the meeting where its agenda is not published', () => {
  const hidden = { EventMinutesStatusName: 'Not Viewable by the Public', EventMinutesFile: FILE };
  expect(whyEventIsHidden(event({ ...hidden, EventAgendaStatusName: 'Draft' }))).not.toBeNull();
  expect(whyEventIsHidden(event({ ...hidden, EventAgendaStatusName: 'Final' }))).toBeNull();
  expect(resources({ ...hidden, EventAgendaStatusName: 'Final' })).toEqual(['meetings', 'agendas', 'agenda_items']);
  expect(resources({ ...hidden, EventMinutesStatusName: 'Draft' })).toContain('documents');
});

test.each([
  { MatterRestrictViewViaWeb: true },
  { EventItemMatterRestrictViewViaWeb: true },
  { EventItemMatterStatus: 'Not Viewable by the Public' },
])('an item with %j is not published', (item) => {
  const attachment = { MatterAttachmentId: 5, MatterAttachmentName: 'plan', MatterAttachmentHyperlink: FILE };
  const result = mapped({}, { ...item, EventItemMatterAttachments: [attachment] });
  expect(result.changes.map(({ resource }) => resource)).toEqual(['meetings']);
  const reason = 'the source does not show its matter to the public';
  expect(result.skipped).toEqual([{ what: 'item', id: '11', reason, isIntended: true }]);
});

test('an item whose matter is not restricted is published', () => {
  expect(resources({}, { MatterRestrictViewViaWeb: false, EventItemMatterStatus: 'Public hearing closed' })).toContain(
    'agenda_items',
  );
});

test('an event without an address has the published one, else the calendar of the client', () => {
  const calendarUrl = 'https://example.legistar.com/Calendar.aspx';
  const urlOf = (known: EventPlace['known'], EventInSiteURL: string | null = null) => {
    const result = mapEvent(event({ EventInSiteURL, EventComment: 'CANCELED' }), [], { ...PLACE, known, calendarUrl });
    if (result.kind === 'skipped') throw new Error(result.skipped.reason);
    const [meeting] = result.changes;
    expect(meeting).toMatchObject({ content: { status: 'cancelled' } });
    return (meeting as { content: { sourceUrl: string } }).content.sourceUrl;
  };
  expect(urlOf(null)).toBe(calendarUrl);
  const publishedMeeting = { startsAt: '2026-03-10T23:00:00.000Z', sourceUrl: 'https://site.example.org/known' };
  expect(urlOf(publishedMeeting)).toBe(publishedMeeting.sourceUrl);
  expect(urlOf(publishedMeeting, 'https://site.example.org/new')).toBe('https://site.example.org/new');
});
