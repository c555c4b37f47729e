import { expect, test } from 'vitest';
import type { AgendaReader } from '../../domain/ports/source-ports.ts';
import { readDocument } from '../../infra/documents/read-document.ts';
import { agendaConnector } from '../../src/sources/agendas/sync.ts';
import { listedReader } from '../../src/sources/listed/listed-reader.ts';
import { trySource } from '../../src/sources/try-source.ts';
import { AGENDA_LINES, agendaPdf } from '../support/agenda-pdf.ts';
import { UNREAD_DOCUMENTS } from '../support/unread-documents.ts';

const clock = { now: () => Date.parse('2026-11-28T12:00:00Z'), sleep: async () => undefined };
const opened = { clock, reader: UNREAD_DOCUMENTS };
const event = (EventId: number, EventDate: string, more: object = {}) => ({
  EventId,
  EventBodyId: 1,
  EventBodyName: 'Council',
  EventDate,
  EventTime: '6:30 PM',
  EventAgendaFile: `https://www.example.gov/${EventId}.pdf`,
  EventInSiteURL: 'https://www.example.gov/list',
  ...more,
});

function openReader(): { readonly reader: AgendaReader; readonly read: number[] } {
  const read: number[] = [];
  const reader = listedReader({
    platform: { sourceType: 'other', label: 'Example' },
    list: async () => [
      event(1, '2026-03-01'),
      event(2, '2026-12-01'),
      event(3, '2026-11-10', { EventTime: null }),
      { EventId: undefined, EventUnread: 'the second page could not be read' },
    ],
    eventItems: async (eventId) => {
      read.push(eventId);
      return [
        {
          EventItemId: eventId * 10,
          EventItemAgendaSequence: 1,
          EventItemAgendaNumber: '1',
          EventItemTitle: 'Approve a contract',
        },
      ];
    },
  });
  return { reader, read };
}

test('a trial prints what a sync would publish, without a place, and reads the closest meetings in full', async () => {
  const { reader, read } = openReader();
  const connector = agendaConnector(() => reader, 'example:');
  const trial = await trySource(connector, { client: 'www.example.gov', options: {}, limit: 2 }, opened);
  expect(new Set(read)).toEqual(new Set([2, 3]));
  expect(trial).toMatchObject({
    failure: null,
    meetings: [
      { id: '2', body: 'Council', date: '2026-12-01', time: '18:30', status: 'scheduled' },
      { id: '3', date: '2026-11-10', time: null },
      { id: '1', date: '2026-03-01', time: '18:30' },
    ],
    items: [
      { number: '1', title: 'Approve a contract', kind: 'item' },
      { number: '1', title: 'Approve a contract' },
    ],
    skipped: [{ what: 'event', id: null, reason: 'the second page could not be read' }],
    degraded: [{ what: 'event', id: '3' }],
  });
  expect(trial.items.map((item) => (item as { meeting: string }).meeting).toSorted()).toEqual(['2', '3']);
  expect(trial.documents).toHaveLength(3);
});

test('a client of the shipped table is tried at its own place', async () => {
  const { reader } = openReader();
  const connector = agendaConnector(() => reader, '');
  const trial = await trySource(connector, { client: 'cityofdallas', options: {}, limit: 0 }, opened);
  expect(trial).toMatchObject({ failure: null, items: [] });
  expect(trial.meetings).toHaveLength(3);
});

test('a trial has the items of agendas in files', async () => {
  const reader = { read: readDocument, close: async () => undefined };
  const connector = agendaConnector(
    () =>
      listedReader({
        platform: { sourceType: 'other', label: 'Example', readsAgendaFiles: true },
        list: async () => [event(1, '2026-12-08'), event(2, '2026-01-08')],
      }),
    'example:',
    () => ({
      page: () => Promise.reject(new Error('no page is read')),
      file: async (address) => ({ address, mediaType: null, validator: {}, bytes: agendaPdf(AGENDA_LINES) }),
    }),
  );
  const trial = await trySource(connector, { client: 'www.example.gov', options: {}, limit: 1 }, { clock, reader });
  expect(trial.items).toHaveLength(AGENDA_LINES.length);
  expect(trial.items[2]).toMatchObject({
    meeting: '1',
    number: '2.A',
    section: 'CONSENT AGENDA',
    sourceUrl: 'https://www.example.gov/1.pdf#page=1',
  });
});
