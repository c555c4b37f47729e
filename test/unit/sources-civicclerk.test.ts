import { expect, test } from 'vitest';
import type { CivicClerkClient } from '../../domain/ports/source-ports.ts';
import { runAtOnce } from '../../domain/text/steps.ts';
import { civicClerkItemsInSteps } from '../../src/sources/civicclerk/agenda-items.ts';
import { civicClerkReader } from '../../src/sources/civicclerk/reader.ts';

const item = (id: number, number: string, name: string, more: object = {}) => ({
  id,
  agendaObjectItemOutlineNumber: number,
  agendaObjectItemName: name,
  agendaObjectItemDescription: null,
  isSection: 0,
  childItems: [],
  attachmentsList: [],
  ...more,
});

test('the tree of an agenda gives items with the numbers of their sections, without placeholders', () => {
  const attachment = { id: 7, fileName: 'Plan.pdf', pdfVersionFullPath: 'https://files.example.com/7.pdf' };
  const agenda = {
    items: [
      item(1, '5.', 'Approval of Consent Agenda', {
        isSection: 1,
        childItems: [
          item(2, 'A.', '<p>Minutes of July&nbsp;7</p>'),
          item(3, 'B.', '  '),
          item(4, 'C.', '[Placeholder]'),
          item(5, 'D.', 'Payment', {
            childItems: [item(6, '1', 'Wages', { attachmentsList: [attachment, { id: 8 }] })],
          }),
        ],
      }),
      item(9, '6.', 'Adjourn'),
      item(9, '6.', 'Adjourn'),
      { name: 'no item' },
    ],
  };
  expect(runAtOnce(civicClerkItemsInSteps(agenda))).toMatchObject([
    { EventItemId: 1, EventItemAgendaNumber: '5', EventItemTitle: 'Approval of Consent Agenda', EventItemGroup: null },
    {
      EventItemId: 2,
      EventItemAgendaNumber: '5.A',
      EventItemTitle: 'Minutes of July 7',
      EventItemGroup: 'Approval of Consent Agenda',
    },
    { EventItemId: 5, EventItemAgendaNumber: '5.D' },
    {
      EventItemId: 6,
      EventItemAgendaNumber: '5.D.1',
      EventItemMatterAttachments: [{ MatterAttachmentId: 7, MatterAttachmentHyperlink: attachment.pdfVersionFullPath }],
    },
    { EventItemId: 9, EventItemAgendaNumber: '6' },
  ]);
});

test('a tree without end, or that is none, gives a bounded list', () => {
  let deep: object = item(1, '1', 'Innermost');
  for (let id = 2; id < 100; id += 1) deep = item(id, '1', `Level ${id}`, { childItems: [deep] });
  expect(runAtOnce(civicClerkItemsInSteps({ items: [deep] }))).toHaveLength(21);
  expect(runAtOnce(civicClerkItemsInSteps(null))).toEqual([]);
  expect(runAtOnce(civicClerkItemsInSteps({ items: 'none' }))).toEqual([]);
});

test('items are read by the id of the agenda, not of the event, and an event without one has none', async () => {
  const read: number[] = [];
  const client: CivicClerkClient = {
    events: async () => [
      { id: 10, eventName: 'Council', startDateTime: '2026-05-19T18:30:00Z', categoryId: 1, agendaId: 77 },
      { id: 11, eventName: 'Board', startDateTime: '2026-05-20T18:30:00Z', categoryId: 1, agendaId: 0 },
    ],
    agenda: async (agendaId) => {
      read.push(agendaId);
      return { items: [item(1, '1.', 'Call to Order')] };
    },
  };
  const reader = civicClerkReader(client, { portal: 'https://p.example.com', api: 'https://a.example.com/v1' });
  await reader.events(null);
  expect(await reader.eventItems(10)).toMatchObject([{ EventItemTitle: 'Call to Order' }]);
  expect(await reader.eventItems(11)).toEqual([]);
  expect(read).toEqual([77]);
});

test('names of the agenda and of notices are among the names of an event', async () => {
  const files = [
    { fileId: 1, type: 'Notice', name: 'Notice of Cancellation' },
    { fileId: 2, type: 'Agenda', name: 'Agenda v2' },
  ];
  const event = {
    id: 10,
    eventName: 'Council',
    agendaName: 'Council Agenda',
    startDateTime: '2026-05-19T18:30:00Z',
    publishedFiles: files,
  };
  const client: CivicClerkClient = { events: async () => [event], agenda: async () => null };
  const reader = civicClerkReader(client, { portal: 'https://p.example.com', api: 'https://a.example.com/v1' });
  expect(await reader.events(null)).toMatchObject([{ EventName: 'Council\nCouncil Agenda\nNotice of Cancellation' }]);
});

test('the file of a packet is read from the event service, and the portal is its public address', async () => {
  const event = {
    id: 11,
    eventName: 'Council',
    startDateTime: '2026-05-19T18:30:00Z',
    publishedFiles: [{ fileId: 8, type: 'Agenda Packet', name: 'Packet' }],
  };
  const client: CivicClerkClient = { events: async () => [event], agenda: async () => null };
  const reader = civicClerkReader(client, { portal: 'https://p.example.com', api: 'https://a.example.com/v1' });
  expect(await reader.events(null)).toMatchObject([
    {
      EventPacketFile: 'https://p.example.com/event/11/files/agenda/8',
      EventPacketDownload: 'https://a.example.com/v1/Meetings/GetMeetingFileStream(fileId=8,plainText=false)',
    },
  ]);
});

test('a category that fits several bodies leaves the body to the name of the event', async () => {
  const event = (id: number, categoryId: number, categoryName: string, eventName: string) => ({
    id,
    categoryId,
    categoryName,
    eventName,
    startDateTime: '2026-05-19T18:30:00Z',
  });
  const events = [
    event(1, 26, 'City Council', 'Regular Meeting'),
    event(2, 27, 'General', 'City Council Meeting'),
    event(3, 28, 'Commission', 'Planning Commission Meeting'),
    event(4, 28, 'Commission', 'Retreat'),
  ];
  const client: CivicClerkClient = { events: async () => events, agenda: async () => null };
  const reader = civicClerkReader(client, { portal: 'https://p.example.com', api: 'https://a.example.com/v1' });
  expect(await reader.bodies()).toEqual([
    { BodyId: 26, BodyName: 'City Council' },
    { BodyId: expect.any(Number) as number, BodyName: 'Planning Commission' },
    { BodyId: 28, BodyName: 'Commission' },
  ]);
});
