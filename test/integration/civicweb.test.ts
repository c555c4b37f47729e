import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../infra/system/clock.ts';
import { civicWebHttpClient } from '../../infra/civicweb/http-client.ts';
import { UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { catalogueBodyId, catalogueRecords, catalogueSourceId } from '../../src/sources/catalogue/catalogue-records.ts';
import { civicWebReader } from '../../src/sources/civicweb/reader.ts';
import { agendaConnector } from '../../src/sources/agendas/sync.ts';
import { MemoryRecords } from './agendas/memory-records.ts';

const row = (number: string, title: string, link = '') =>
  `<tr><td><p><a name="x"></a><span>${number}</span></p></td><td><p><span>${title}</span></p>${link}</td><td><p>&nbsp;</p></td></tr>`;
const link = (id: number) =>
  `<p><a target="_" href="/document/${id}/Some%20Title.pdf?handle=ABC" title="x"><span>Briefing and Court Order - Pdf</span></a></p>`;
const AGENDA = `<html><body><table>${row('A.', 'CALL TO ORDER')}${row('K.', 'AWARDS')}${row('&nbsp;', 'BIDS')}${row('(1)', 'Authorize a contract &amp; a lease', link(501))}
${row('&nbsp;', 'VOTE ON BIDS')}${row('•', 'Vote')}${row('&nbsp;', 'RFPS')}${row('(1)', 'Authorize a request for proposals')}</table></body></html>`;

let meetings: Record<string, unknown>[];
let agenda: string;
let records: MemoryRecords;
let server: ReturnType<typeof createServer>;
let portal: string;
/** The meeting whose documents are gone. */
let missing: string | undefined;

beforeEach(async () => {
  missing = undefined;
  const meeting = { TypeId: 10, MeetingTime: '09:00 AM', MeetingLocation: 'Court Room', Published: true };
  agenda = AGENDA;
  meetings = [
    { ...meeting, Id: 1, Name: 'Commissioners Court - May 19 2026', MeetingDate: '2026-05-19' },
    { ...meeting, Id: 2, Name: 'CANCELLED - Commissioners Court - Jun 02 2026', MeetingDate: '2026-06-02' },
    { ...meeting, Id: 3, Name: 'Commissioners Court - Jun 16 2026', MeetingDate: '2026-06-16', MeetingTime: '' },
    { ...meeting, Id: 4, Name: 'Commissioners Court - Jul 07 2026', MeetingDate: '2026-07-07', Published: false },
    { ...meeting, Id: 7, Name: 'CANCELLED - Employee Hearing - Jul 14 2026', MeetingDate: '2026-07-14' },
    { ...meeting, Id: 5, Name: 'Bond Committee - Jun 17 2026', MeetingDate: '2026-06-17', TypeId: 11 },
    { Id: 6, Name: 'unreadable' },
  ];
  const documents = () => [
    { Id: 101, DocumentType: 1, Html: 'a draft', IsPublic: false },
    { Id: 102, DocumentType: 4, Html: '', IsPublic: true },
    { Id: 100, DocumentType: 1, Html: agenda, IsPublic: true },
  ];
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://portal');
    const id = /^\/Services\/MeetingsService\.svc\/meetings(?:\/(\d+)\/meetingDocuments)?$/.exec(url.pathname);
    if (id === null) return response.writeHead(404).end();
    const from = url.searchParams.get('from') ?? '';
    const listed = meetings.filter(({ MeetingDate }) => String(MeetingDate) >= from);
    if (id[1] !== undefined && id[1] === missing) return response.writeHead(410).end();
    return response.end(JSON.stringify(id[1] === undefined ? listed : id[1] === '1' ? documents() : []));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  portal = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  records = new MemoryRecords();
  await records.write(catalogueRecords());
});
afterEach(async () => {
  server.close();
  await once(server, 'close');
});

const connector = agendaConnector(
  (_, clock) =>
    civicWebReader(civicWebHttpClient(portal, { clock, random: () => 0.5 }), 'https://example.civicweb.net', clock),
  'civicweb:',
);
const sync = (since?: string) =>
  connector.sync(
    { client: 'dallascounty', options: { since } },
    { writer: records, known: records, clock: systemClock },
  );

test('a CivicWeb portal gives meetings, agendas and numbered items of the adopted court, and nothing unpublished', async () => {
  const report = await sync();
  expect(report).toMatchObject({
    client: 'dallascounty',
    failure: null,
    rejected: [],
    read: { bodies: 2, events: 6, items: 4 },
  });
  expect(report.skipped).toMatchObject([{ what: 'event', id: '6' }]);
  expect(report.degraded).toMatchObject([{ what: 'event', id: '3' }]);
  const court = catalogueBodyId('dallas-county', 'commissioners-court');
  const meetingOf = (id: string) => records.one('meetings', 'sourceRecordId', id);
  expect(meetingOf('1')).toMatchObject({
    publicBodyId: court,
    startsAt: '2026-05-19T14:00:00.000Z',
    status: 'scheduled',
  });
  expect(meetingOf('2')).toMatchObject({ status: 'cancelled' });
  expect(meetingOf('3')).toMatchObject({ startsAt: '2026-06-16T05:00:00.000Z', startTime: { status: 'not_stated' } });
  expect(meetingOf('7')).toMatchObject({ publicBodyId: court, title: 'Employee Hearing', status: 'cancelled' });
  expect(records.all('meetings')).toHaveLength(5);
  expect(records.one('public_bodies', 'name', 'Bond Committee')).toMatchObject({ slug: 'bond-committee' });
  expect(records.all('agenda_items').map(({ content }) => [content.agendaNumber, content.title])).toEqual([
    ['A.', 'CALL TO ORDER'],
    ['K.', 'AWARDS'],
    ['K. BIDS (1)', 'Authorize a contract & a lease'],
    ['K. RFPS (1)', 'Authorize a request for proposals'],
  ]);
  expect(records.all('documents').map(({ content }) => [content.kind, content.url])).toEqual([
    ['agenda', 'https://example.civicweb.net/document/100'],
    ['exhibit', 'https://example.civicweb.net/document/501'],
  ]);
  const agenda = 'https://example.civicweb.net/document/100';
  expect(meetingOf('1')).toMatchObject({ sourceUrl: agenda });
  expect(meetingOf('2')).toMatchObject({ sourceUrl: 'https://example.civicweb.net/Portal/MeetingSchedule.aspx' });
  expect(new Set(records.all('agenda_items').map(({ content }) => content.sourceUrl))).toEqual(new Set([agenda]));
  const checks = await connector.checks({ client: 'dallascounty' }, records);
  expect(checks.map(({ id, status, sourceTypeLabel }) => [id, status, sourceTypeLabel])).toContainEqual([
    catalogueSourceId('dallas-county', 'commissioners-court'),
    'healthy',
    'CivicWeb',
  ]);
});

test('a second sync of a CivicWeb portal appends nothing, and a meeting that is gone is removed with its items', async () => {
  await sync();
  expect(await sync()).toMatchObject({ appended: 0, removed: 0 });
  meetings.shift();
  expect(await sync()).toMatchObject({ removed: 1 + 1 + 4 + 2 });
  expect(records.all('agenda_items')).toEqual([]);
});

test('an agenda numbered "1.", "2." gives items with kinds and sections', async () => {
  agenda = `<table>${row('1.', 'Call to Order')}${row('2.', 'Consent Agenda')}${row('2.1', 'Authorize a lease')}${row('3.', 'Approve the budget')}</table>`;
  expect(await sync()).toMatchObject({ degraded: [{ id: '3' }] });
  expect(
    records.all('agenda_items').map(({ content }) => [content.agendaNumber, content.kind, content.section]),
  ).toEqual([
    ['1.', 'procedural', undefined],
    ['2.', 'heading', undefined],
    ['2.1', 'item', 'Consent Agenda'],
    ['3.', 'item', undefined],
  ]);
});

test.each([
  ['<p>Authorize a lease</p>', 1],
  ['<html><head><title>Agenda</title></head><body><p>&nbsp;</p></body></html>', 0],
  ['', 0],
])('an agenda of %j without an item that is recognized counts as degraded where it has words', async (html, count) => {
  agenda = html;
  const { degraded } = await sync();
  expect(degraded.filter(({ id }) => id === '1').map(({ reason }) => reason)).toEqual(
    Array.from({ length: count }, () => 'the agenda has text but no item was recognized'),
  );
});

test('an address without a portal is an unknown client', async () => {
  const elsewhere = civicWebHttpClient(`${portal}/elsewhere`, { clock: systemClock, random: () => 0.5 });
  await expect(elsewhere.meetings('2026-01-01', '2026-12-31')).rejects.toThrow(UnknownSourceClient);
});

test('a meeting whose documents are gone loses its items, and the others are read', async () => {
  await sync();
  expect(records.all('agenda_items')).not.toHaveLength(0);
  missing = '1';
  expect(await sync('2026-01-01')).toMatchObject({ failure: null, failedEvents: 0 });
  expect(records.all('agenda_items')).toHaveLength(0);
  expect(records.all('meetings')).toHaveLength(5);
});
