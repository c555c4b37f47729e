import { beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../domain/durations.ts';
import { SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import type { Validator, WebReader } from '../../../domain/ports/web-reader.ts';
import { readDocument } from '../../../infra/documents/read-document.ts';
import { MAX_OLD_FILES } from '../../../src/sources/agendas/files/agenda-files.ts';
import { agendaConnector } from '../../../src/sources/agendas/sync.ts';
import { catalogueRecords } from '../../../src/sources/catalogue/catalogue-records.ts';
import { type ListedEvent, listedReader } from '../../../src/sources/listed/listed-reader.ts';
import { AGENDA_LINES, agendaPdf } from '../../support/agenda-pdf.ts';
import { MemoryDocuments } from '../../support/memory-documents.ts';
import { pdfOfObjects } from '../../support/small-pdf.ts';
import { MemoryRecords } from './memory-records.ts';
import { event, testSource } from './two-sources.ts';

const SITE = 'https://example.org';
const PLACE = { slug: 'example-city', name: 'Example City', timezone: 'America/Chicago' };

interface Served {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly validator: Validator;
}

let now: number;
let records: MemoryRecords;
let documents: MemoryDocuments;
let events: ListedEvent[];
let served: Map<string, Served | Error>;
/** Recordings are recognized by their label too. */
const SECONDARY = { label: 'Swagit', isSecondary: true } as const;
let isSecondary: true | undefined;
/** Requested addresses, with their validators. */
let requests: string[];

const clock = { now: () => now, sleep: async () => undefined };
const serve = (path: string, bytes: Uint8Array, validator: Validator = {}, mediaType = 'application/pdf') =>
  void served.set(`${SITE}${path}`, { bytes, mediaType, validator });
const meeting = (id: number, day: string, fields: object = {}): ListedEvent => ({
  EventId: id,
  EventBodyId: 1,
  EventBodyName: 'City Council',
  EventDate: day,
  EventInSiteURL: `${SITE}/meetings`,
  EventAgendaFile: `${SITE}/agenda/${id}`,
  ...fields,
});

beforeEach(async () => {
  now = Date.parse('2026-12-01T18:00:00Z');
  records = new MemoryRecords();
  await records.write(catalogueRecords());
  documents = new MemoryDocuments();
  served = new Map();
  isSecondary = undefined;
  requests = [];
  events = [meeting(1, '2026-12-08')];
});

const web: WebReader = {
  page: () => Promise.reject(new Error('no page is read')),
  file: async (address, known = {}) => {
    const isConditional = Object.keys(known).length > 0;
    requests.push(`${address.slice(SITE.length)}${isConditional ? ` ${known.etag}` : ''}`);
    const answer = served.get(address) ?? new SourceUnavailable('example.org was answered with status 500');
    if (answer instanceof Error) throw answer;
    return isConditional && answer.validator.etag === known.etag ? null : { address, ...answer };
  },
};
const connector = agendaConnector(
  () =>
    listedReader({
      platform: { sourceType: 'other', label: 'Example', readsAgendaFiles: true, ...(isSecondary && SECONDARY) },
      list: async () => events,
    }),
  'example:',
  () => web,
);
const sync = async (options: Readonly<Record<string, string>> = {}) => {
  requests = [];
  // The parser takes the bytes as its own.
  const reader = {
    read: (bytes: Uint8Array, type: string | null) => readDocument(bytes.slice(), type),
    close: async () => {},
  };
  const report = await connector.sync(
    { client: 'city', options, place: PLACE },
    { writer: records, known: records, clock, documents: { reader, stored: documents } },
  );
  expect(report).toMatchObject({ failure: null, rejected: [], failedEvents: 0 });
  return report;
};
const items = () =>
  records
    .all('agenda_items')
    .map(({ id, content }): Record<string, unknown> => ({ id, ...content }))
    .toSorted((left, right) => Number(left['sequence']) - Number(right['sequence']));
const titles = () => items().map(({ agendaNumber, title }) => `${String(agendaNumber)} ${String(title)}`);
const idOf = (title: string) => items().find((item) => item['title'] === title)?.['id'];
const reasons = ({ degraded }: Awaited<ReturnType<typeof sync>>) =>
  degraded.map(({ reason }) => reason).filter((reason) => !reason.startsWith('states no time'));
const source = () => records.all('sources').find(({ content }) => content['sourceTypeLabel'] === 'Example')!.content;

test('an agenda in a PDF gives its items with section, kind and page, and the facts of its file', async () => {
  const filler = Array.from({ length: 20 }, (_, n) => `${n + 5}. Consider the sale of lot ${n * 7} in addition ${n}`);
  const bytes = agendaPdf([...AGENDA_LINES.slice(0, -1), '4. STAFF REPORTS', ...filler]);
  serve('/agenda/1', bytes, { etag: '"a"' });
  await sync();
  expect(items()[2]).toMatchObject({
    agendaNumber: '2.A',
    section: 'CONSENT AGENDA',
    kind: 'procedural',
    sourceUrl: `${SITE}/agenda/1#page=1`,
  });
  expect(items()[1]).toMatchObject({ kind: 'heading', title: 'CONSENT AGENDA' });
  expect(items().at(-1)).toMatchObject({ agendaNumber: '24', kind: 'item', sourceUrl: `${SITE}/agenda/1#page=2` });
  const { documentId, ...agenda } = records.all('agendas')[0]!.content;
  expect(agenda).toMatchObject({
    textEvidence: 'readable',
    itemCount: items().filter(({ kind }) => kind === 'item').length,
  });
  expect(records.records.get(String(documentId))?.content).toMatchObject({
    kind: 'agenda',
    url: `${SITE}/agenda/1`,
    mediaType: 'application/pdf',
    bytes: bytes.byteLength,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    textEvidence: 'readable',
  });
  expect(records.one('meetings', 'sourceRecordId', '1')).toMatchObject({
    startsAt: '2026-12-09T00:30:00.000Z',
    startTime: { status: 'stated', sourceText: '6:30 PM' },
  });
  expect(source()).toMatchObject({ agendaTextEvidence: 'readable' });
  expect(await sync()).toMatchObject({ appended: 0, removed: 0, degraded: [] });
  expect(requests).toEqual(['/agenda/1 "a"']);
});

test('a revision changes only the items that differ, and they keep their ids', async () => {
  serve('/agenda/1', agendaPdf(AGENDA_LINES), { etag: '"a"' });
  await sync();
  const before = new Map(titles().map((title, index) => [title.slice(title.indexOf(' ') + 1), items()[index]!['id']]));
  const revised = AGENDA_LINES.toSpliced(2, 1, 'A. Consider a proclamation for National Library Week');
  revised.splice(4, 0, 'C. Consider approval of the minutes of the November 24 special and regular meetings');
  serve('/agenda/1', agendaPdf(revised), { etag: '"b"' });
  records.log.length = 0;
  await sync();
  const minutes = 'Consider approval of the minutes of the November 24 special and regular meetings';
  expect(idOf(minutes)).toBe(before.get('Consider approval of the minutes of the November 24 regular meeting'));
  expect(idOf('ADJOURN')).toBe(before.get('ADJOURN'));
  expect([...before.values()]).not.toContain(idOf('Consider a proclamation for National Library Week'));
  expect(records.log.filter(({ op }) => op === 'remove')).toEqual([]);

  serve('/agenda/1', agendaPdf(AGENDA_LINES.slice(0, 4)), { etag: '"c"' });
  expect(await sync()).toMatchObject({ removed: 5 });
  expect(titles()).toHaveLength(4);
});

test.each([
  [
    'a truncated file',
    () => agendaPdf(AGENDA_LINES).slice(0, 900),
    'application/pdf',
    'its agenda is not a complete PDF',
  ],
  ['an empty file', () => new Uint8Array(), 'application/pdf', 'its agenda is empty'],
  [
    'a web page',
    () =>
      Buffer.from('<html><body><h1>Sign in</h1><p>Please sign in to see the documents of this city.</p></body></html>'),
    'text/html',
    'its agenda ',
  ],
  ['a paper without items', () => agendaPdf([]), 'application/pdf', 'its agenda '],
])('%s withdraws nothing, and the next good answer repairs it', async (_, bad, mediaType, reason) => {
  serve('/agenda/1', agendaPdf(AGENDA_LINES), { etag: '"a"' });
  await sync();
  const [before, facts] = [titles(), records.one('documents', 'kind', 'agenda')];
  serve('/agenda/1', bad(), { etag: '"bad"' }, mediaType);
  const report = await sync();
  expect(report).toMatchObject({ removed: 0 });
  expect(reasons(report)).toEqual([expect.stringContaining(reason)]);
  expect(titles()).toEqual(before);
  expect(records.one('meetings', 'sourceRecordId', '1')).toMatchObject({ startsAt: '2026-12-09T00:30:00.000Z' });
  if (mediaType === 'text/html') expect(records.one('documents', 'kind', 'agenda')).toEqual(facts);
  expect(source()).toMatchObject({ lastCheckDegraded: 1, status: 'healthy' });
  serve('/agenda/1', agendaPdf(AGENDA_LINES), { etag: '"c"' });
  expect(reasons(await sync())).toEqual([]);
  expect(titles()).toEqual(before);
});

test('a file that cannot be fetched withdraws nothing, also under a new address', async () => {
  serve('/agenda/1', agendaPdf(AGENDA_LINES));
  await sync();
  const before = titles();
  now += DAY_MS;
  served.set(`${SITE}/agenda/1`, new SourceUnavailable('refused by robots.txt: /agenda'));
  expect(reasons(await sync())).toEqual(['its agenda could not be read: refused by robots.txt: /agenda']);
  events = [meeting(1, '2026-12-08', { EventAgendaFile: `${SITE}/agenda/1-v2` })];
  const report = await sync();
  expect(reasons(report)).toEqual(['its agenda could not be read: example.org was answered with status 500']);
  expect(report).toMatchObject({ removed: 0 });
  expect(titles()).toEqual(before);
  serve('/agenda/1-v2', agendaPdf(AGENDA_LINES.slice(0, 4)));
  await sync();
  expect(items().map(({ sourceUrl }) => sourceUrl)).toEqual(Array(4).fill(`${SITE}/agenda/1-v2#page=1`));
});

test('a notice of cancellation cancels the meeting and withdraws its items', async () => {
  serve('/agenda/1', agendaPdf(AGENDA_LINES), { etag: '"a"' });
  await sync();
  const notice = ['NOTICE OF CANCELLATION', 'The regular meeting of the City Council has been canceled.'];
  serve('/agenda/1', agendaPdf(notice), { etag: '"b"' });
  expect(reasons(await sync())).toEqual([]);
  expect(records.one('meetings', 'sourceRecordId', '1')).toMatchObject({ status: 'cancelled' });
  expect(items()).toEqual([]);
  serve('/agenda/1', Buffer.from('<html><p>This site is under maintenance today.</p></html>'), {}, 'text/html');
  expect(reasons(await sync())).toHaveLength(1);
  expect(records.one('meetings', 'sourceRecordId', '1')).toMatchObject({ status: 'cancelled' });
});

describe('where the paper is dated another day', () => {
  test('the list stands, its items are published, and the meeting counts as degraded', async () => {
    serve('/agenda/1', agendaPdf(AGENDA_LINES, 'Tuesday, September 9, 2025'));
    expect(reasons(await sync())).toEqual(['its agenda is dated 2025-09-09']);
    expect(titles()).toHaveLength(8);
    expect(records.one('meetings', 'sourceRecordId', '1')).toMatchObject({
      startsAt: '2026-12-08T06:00:00.000Z',
      startTime: { status: 'not_stated' },
    });
  });

  test('its notice of cancellation does not cancel the meeting', async () => {
    serve(
      '/agenda/1',
      agendaPdf(['NOTICE OF CANCELLATION', 'The meeting has been canceled.'], 'Tuesday, September 9, 2025'),
    );
    await sync();
    expect(records.one('meetings', 'sourceRecordId', '1')).toMatchObject({ status: 'scheduled' });
  });
});

test('a hundred items with the longest titles have less than a megabyte', async () => {
  const long = (nth: number) => `${nth}. Consider lot ${nth} ${'文書道路公園'.repeat(500)}`;
  const text = [
    'AGENDA',
    'City Council',
    'December 8, 2026',
    ...Array.from({ length: 100 }, (_, nth) => long(nth + 1)),
  ];
  serve('/agenda/1', Buffer.from(text.join('\n')), {}, 'text/plain; charset=utf-8');
  const report = await sync();
  expect(items()).toHaveLength(100);
  expect(Buffer.byteLength(JSON.stringify(items()))).toBeLessThan(1_000_000);
  expect(reasons(report)).toHaveLength(100);
});

test('a hundred meetings with the longest names and places have less than a megabyte', async () => {
  const long = '文書道路公園'.repeat(5_000);
  events = Array.from({ length: 100 }, (_, nth) =>
    meeting(nth + 1, '2026-12-08', {
      EventBodyId: nth + 1,
      EventBodyName: `Board ${nth} ${long}`,
      EventLocation: `Room ${nth} ${long}`,
    }),
  );
  await sync();
  const published = [...records.all('meetings'), ...records.all('public_bodies')];
  expect(published.length).toBeGreaterThan(100);
  expect(Buffer.byteLength(JSON.stringify(records.all('meetings')))).toBeLessThan(1_000_000);
  expect(Math.max(...published.map((record) => Buffer.byteLength(JSON.stringify(record))))).toBeLessThan(10_000);
});

test.each([
  ['of its day gives the start', 'Tuesday, December 8, 2026', '2026-12-09T00:30:00.000Z'],
  ['of another day gives none', 'Tuesday, September 9, 2025', '2026-12-08T06:00:00.000Z'],
  ['without a day gives none', '', '2026-12-08T06:00:00.000Z'],
])('a paper without items %s', async (_, day, startsAt) => {
  serve('/agenda/1', agendaPdf(['The council meets in the library this month.'], day));
  expect(reasons(await sync()).join()).toContain('its agenda has no numbered or titled items');
  expect(records.one('meetings', 'sourceRecordId', '1')).toMatchObject({ startsAt });
});

test('a start that the list states is not replaced by the paper', async () => {
  events = [meeting(1, '2026-12-08', { EventTime: '9:00 AM' })];
  serve('/agenda/1', agendaPdf(AGENDA_LINES));
  await sync();
  expect(records.one('meetings', 'sourceRecordId', '1')).toMatchObject({ startsAt: '2026-12-08T15:00:00.000Z' });
});

test('the next meeting is read first, and files without a validator are not requested at each poll', async () => {
  events = [meeting(1, '2026-11-24'), meeting(2, '2026-12-15'), meeting(3, '2026-12-08'), meeting(4, '2026-11-10')];
  for (const id of [1, 2, 3, 4]) serve(`/agenda/${id}`, agendaPdf(AGENDA_LINES));
  await sync();
  expect(requests).toEqual(['/agenda/3', '/agenda/2', '/agenda/1', '/agenda/4']);
  await sync();
  expect(requests).toEqual([]);
  now += 2 * HOUR_MS;
  await sync();
  expect(requests).toEqual(['/agenda/3', '/agenda/2']);
  await sync({ since: '2026-11-20' });
  expect(requests).toEqual(['/agenda/3', '/agenda/2', '/agenda/1']);
});

test('the packet is read only for a meeting without an agenda', async () => {
  const packet = { EventPacketFile: `${SITE}/packet/1` };
  const download = { EventPacketDownload: `${SITE}/files/1` };
  const withoutAgenda = { EventAgendaFile: null, ...packet, ...download };
  events = [meeting(1, '2026-12-08', { ...packet, ...download }), meeting(2, '2026-12-15', withoutAgenda)];
  serve('/agenda/1', agendaPdf(AGENDA_LINES));
  serve('/files/1', agendaPdf(AGENDA_LINES.slice(0, 4)));
  await sync();
  expect(requests).toEqual(['/agenda/1', '/files/1']);
  expect(titles()).toHaveLength(12);
});

test('the newest ten agendas decide if the agendas of a source can be read as text', async () => {
  const scan = pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>',
  ]);
  events = Array.from({ length: 11 }, (_, n) => meeting(n + 1, `2026-11-${String(n + 10)}`));
  for (const { EventId } of events) serve(`/agenda/${String(EventId)}`, scan);
  serve('/agenda/1', agendaPdf(AGENDA_LINES, 'Tuesday, November 10, 2026'));
  expect(reasons(await sync())).toHaveLength(10);
  expect(source()).toMatchObject({ agendaTextEvidence: 'no_text_layer' });
  expect(records.all('documents').filter(({ content }) => content['textEvidence'] === 'no_text_layer')).toHaveLength(
    10,
  );
  serve('/agenda/11', agendaPdf(AGENDA_LINES));
  now += 8 * DAY_MS;
  await sync();
  expect(source()).toMatchObject({ agendaTextEvidence: 'readable' });
});

test('ids of items differ between events, and the records of a version are noted with it', async () => {
  events = [meeting(1, '2026-12-08'), meeting(2, '2026-12-15', { EventAgendaFile: `${SITE}/agenda/1` })];
  serve('/agenda/1', agendaPdf(AGENDA_LINES));
  await sync();
  expect(new Set(items().map(({ id }) => id)).size).toBe(16);
  const stored = await documents.find(`${SITE}/agenda/1`);
  expect(items().filter(({ id }) => !stored!.recordIds.includes(String(id)))).toEqual([]);
});

test('a version that cannot be divided is noted with the records that stay published', async () => {
  serve('/agenda/1', agendaPdf(AGENDA_LINES), { etag: '"a"' });
  await sync();
  serve('/agenda/1', agendaPdf([]), { etag: '"b"' });
  await sync();
  const stored = await documents.find(`${SITE}/agenda/1`);
  const published = [...records.all('agenda_items'), ...records.all('documents')].map(({ id }) => id);
  expect(published.filter((id) => !stored!.recordIds.includes(id))).toEqual([]);
  expect(stored).toMatchObject({ meetingIds: [records.all('meetings')[0]!.id], agenda: { items: [] } });
});

test('the file of a joined event is noted with the meeting of the other source', async () => {
  isSecondary = true;
  const other = testSource(records, 'other', {}, PLACE);
  other.bodies = [{ BodyId: 7, BodyName: 'City Council' }];
  other.events = [event(9, { EventDate: '2026-12-08T00:00:00', EventTime: null })];
  await other.sync();
  serve('/agenda/1', agendaPdf(AGENDA_LINES));
  await sync();
  const [meeting, ...others] = records.all('meetings');
  const stored = await documents.find(`${SITE}/agenda/1`);
  expect([others, stored!.meetingIds]).toEqual([[], [meeting!.id]]);
  const published = [...records.all('agenda_items'), ...records.all('documents')].map(({ id }) => id);
  expect(published.filter((id) => !stored!.recordIds.includes(id))).toEqual([]);
});

test('an event keeps its items while its file cannot be divided, and then joins a meeting', async () => {
  isSecondary = true;
  const bytes = agendaPdf(AGENDA_LINES);
  serve('/agenda/1', bytes);
  await sync();
  const count = items().length;
  const other = testSource(records, 'other', {}, PLACE);
  other.bodies = [{ BodyId: 7, BodyName: 'City Council' }];
  other.events = [event(9, { EventDate: '2026-12-08T00:00:00', EventTime: null })];
  await other.sync();
  now += 24 * HOUR_MS;
  serve('/agenda/1', new TextEncoder().encode('<html><body>Sign in</body></html>'), {}, 'text/html');
  await sync();
  expect([records.all('meetings').length, items().length]).toEqual([2, count]);
  now += 24 * HOUR_MS;
  serve('/agenda/1', bytes);
  await sync();
  const meetings = records.all('meetings').map(({ id }) => id);
  expect([meetings.length, [...new Set(items().map(({ meetingId }) => meetingId))]]).toEqual([1, meetings]);
  expect(items()).toHaveLength(count);
});

test('one sync reads a bounded number of old agendas, the newest first, and the next ones read the others', async () => {
  const more = 5;
  const dayOf = (nth: number) => new Date(Date.parse('2026-08-01') - nth * DAY_MS).toISOString().slice(0, 10);
  events = [meeting(1, '2026-12-08')];
  serve('/agenda/1', agendaPdf(AGENDA_LINES));
  for (let nth = 0; nth < MAX_OLD_FILES + more; nth += 1) {
    events.push(meeting(10 + nth, dayOf(nth)));
    serve(`/agenda/${10 + nth}`, agendaPdf([...AGENDA_LINES, `5. REPORT ${nth}`]));
  }
  const waiting = (report: Awaited<ReturnType<typeof sync>>) =>
    reasons(report).filter((reason) => reason === 'its agenda waits for a later sync').length;
  expect(waiting(await sync())).toBe(more);
  expect(requests).toHaveLength(1 + MAX_OLD_FILES);
  expect([requests[0], requests.at(-1)]).toEqual(['/agenda/1', `/agenda/${9 + MAX_OLD_FILES}`]);
  now += HOUR_MS;
  expect(waiting(await sync())).toBe(0);
  expect(requests).toHaveLength(more);
  now += HOUR_MS;
  await sync();
  // An upcoming agenda without a validator is requested every two hours.
  expect(requests).toEqual(['/agenda/1']);
});
