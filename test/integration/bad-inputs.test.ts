import { deflateSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../domain/durations.ts';
import { createDocumentReader } from '../../infra/documents/document-reader.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { type Connectors, stateOf } from '../../src/sources/added-sources.ts';
import { agendaConnector } from '../../src/sources/agendas/sync.ts';
import { catalogueRecords } from '../../src/sources/catalogue/catalogue-records.ts';
import { reasonLine, sourceCheckOf } from '../../src/sources/check-reasons.ts';
import { civicPlusReader } from '../../src/sources/civicplus/reader.ts';
import { AGENDA_LINES, agendaPdf } from '../support/agenda-pdf.ts';
import { MemoryDocuments } from '../support/memory-documents.ts';
import { pdfOfObjects, pdfOfStreams } from '../support/small-pdf.ts';
import { type Answer, openWeb, page, redirect, sleepingClock, startSite, status } from '../support/web-site.ts';
import { MemoryRecords } from './agendas/memory-records.ts';

const PLACE = { slug: 'ellis-county', name: 'Ellis County', timezone: 'America/Chicago' };
const REF = { source: 'civicplus', client: 'www.example.gov' };
const ADDED = { ...REF, jurisdiction: PLACE, isPublic: false };
const CENTER = '/AgendaCenter';
const FILE = '/AgendaCenter/ViewFile/Agenda/_03102026-471';

const row = (link: string) => `<tr class="catAgendaRow"><td><h3><strong aria-label="Agenda for March 10, 2026">March
  10, 2026</strong></h3><p><a href="${link}">Regular Meeting Agenda</a></p></td></tr>`;
const center = (rows: string) => `<div id="AgendaCenterContent"><div class="listing" id="cat4"><h2>City Council</h2>
  <span id="section4"><table>${rows}</table></span></div></div>`;
const PDF_HEADERS = { 'content-type': 'application/pdf' };
const file =
  (bytes: Uint8Array, headers: Readonly<Record<string, string>> = PDF_HEADERS): Answer =>
  (_, response) =>
    response.writeHead(200, headers).end(bytes);
const agendaFile = () => file(agendaPdf(AGENDA_LINES, 'Tuesday, March 10, 2026'));

const GOOD: Readonly<Record<string, Answer>> = {
  [CENTER]: page(center(row(FILE))),
  [FILE]: agendaFile(),
  '/login': page('<form><input type="password"></form>'),
};
const AKAMAI = '<TITLE>Access Denied</TITLE> errors&#46;edgesuite&#46;net';
const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const ENCRYPTION = `/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >>`;
const encrypted = (pdf: Uint8Array) =>
  Buffer.from(Buffer.from(pdf).toString('latin1').replace('/Root 1 0 R', `/Root 1 0 R ${ENCRYPTION}`), 'latin1');
/** Sends rows until the connection is closed. */
const endless: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  const rows = row(FILE).repeat(2_000);
  const send = (): void => {
    while (response.write(rows));
  };
  response.on('drain', send);
  send();
};

const reader = createDocumentReader({ clock: systemClock, memoryMb: 128 });
afterAll(() => reader.close());

let answers: Record<string, Answer>;
let records: MemoryRecords;
let clock: ReturnType<typeof sleepingClock>;
let documents: MemoryDocuments;
let connector: ReturnType<typeof agendaConnector>;

beforeEach(async () => {
  answers = { ...GOOD };
  const paths = ['/robots.txt', ...Object.keys(GOOD)];
  const served = paths.map((path): [string, Answer] => [path, (...both) => (answers[path] ?? status(404))(...both)]);
  const { url } = await startSite(Object.fromEntries(served));
  records = new MemoryRecords();
  documents = new MemoryDocuments();
  await records.write(catalogueRecords());
  clock = sleepingClock();
  const web = openWeb({ clock })({ baseUrl: url });
  connector = agendaConnector(
    () => civicPlusReader({ web, site: url, category: undefined, since: undefined, clock }),
    'civicplus:',
    () => web,
  );
});

/** Syncs as a poll does, and returns what `sources status` shows then. */
async function sync() {
  clock.move(3 * HOUR_MS);
  const target = { writer: records, known: records, clock, documents: { reader, stored: documents } };
  const report = await connector.sync({ client: REF.client, place: PLACE, options: {} }, target);
  const state = await stateOf({ civicplus: connector } as unknown as Connectors, records, {
    added: ADDED,
    sync: { ...sourceCheckOf(REF, report, clock.now()), failures: Number(report.failure !== null) },
    now: clock.now(),
  });
  return { removed: report.removed, state, reasons: state.reasons.map(reasonLine).join('\n') };
}
const published = () =>
  ['meetings', 'agendas', 'agenda_items', 'documents'].map((name) => records.all(name as never).length);

async function expectRepair(before: readonly number[]) {
  answers = { ...GOOD };
  const { removed, state, reasons } = await sync();
  expect([removed, state.status, state.failure, reasons]).toEqual([0, 'healthy', null, '']);
  expect(published()).toEqual(before);
}

describe('a bad file in place of an agenda has its reason in the status, withdraws nothing, and is repaired', () => {
  test.each<[string, Answer, RegExp]>([
    ['an encrypted PDF', file(encrypted(agendaPdf(AGENDA_LINES))), /its agenda is encrypted/],
    ['a truncated PDF', file(agendaPdf(AGENDA_LINES).slice(0, 60)), /its agenda is not a complete PDF/],
    [
      'a recursive PDF',
      file(pdfOfObjects([CATALOG, '<< /Type /Pages /Kids [2 0 R] /Count 1 >>'])),
      /agenda contains itself/,
    ],
    ['a PDF bomb', file(pdfOfStreams([deflateSync(Buffer.alloc(400_000_000, ' '))])), /its agenda cannot be read: /],
    [
      'a PDF of 5,001 pages',
      file(pdfOfStreams(Array.from({ length: 5_001 }, () => deflateSync('')))),
      /has 5001 pages/,
    ],
    [
      'a ZIP bomb',
      file(zipSync({ 'word/document.xml': strToU8('a'.repeat(60_000_000)) })),
      /unpacks to more than 50 MB/,
    ],
    [
      'names with ../',
      file(zipSync({ '../word/document.xml': strToU8('<w:document/>') })),
      /is a ZIP archive, but not a/,
    ],
    ['a page with status 200', page('<html><body><h1>Site maintenance</h1></body></html>'), /its agenda has no /],
    ['a login page', page('<form><input type="password"></form>'), /is a login page, not a document/],
    ['a redirect to a login page', redirect('/login'), /redirects to a login page/],
    ['the 403 page of Akamai', status(403, {}, AKAMAI), /status 403 \(Akamai refuses automated requests\)/],
    [
      'a wrong content type',
      file(Uint8Array.of(1, 2, 3), { 'content-type': 'image/png' }),
      /neither PDF, DOCX, HTML nor/,
    ],
    ['a redirect to this machine', redirect('http://127.0.0.1:1/a.pdf'), /127\.0\.0\.1:1 is not a public host/],
    ['a redirect to metadata', redirect('http://169.254.169.254/a'), /169\.254\.169\.254 is not a public host/],
  ])('%s', async (_, bad, reason) => {
    expect((await sync()).state).toMatchObject({ status: 'healthy', degraded: 0, reasons: [] });
    const before = published();
    answers = { ...GOOD, [FILE]: bad };
    const { removed, state, reasons } = await sync();
    expect(state).toMatchObject({ status: 'healthy', degraded: 1 });
    expect(reasons).toMatch(reason);
    expect(reasons).toMatch(
      /^1 degraded: .* \(event 471, http:\/\/127\.0\.0\.1:\d+\/AgendaCenter\/ViewFile\/Agenda\/_03102026-471\)$/,
    );
    expect([removed, published()]).toEqual([0, before]);
    await expectRepair(before);
  });
});

describe('a bad list has its reason in the status, withdraws nothing, and is repaired', () => {
  test.each<[string, Answer, RegExp]>([
    ['an endless list', endless, /AgendaCenter: .*over \d+ bytes/],
    ['a list that shrinks to nothing', page(center('')), /^the list of meetings is empty$/],
    ['another page with status 200', page('<h1>Welcome</h1>'), /is no AgendaCenter/],
    ['a login page', redirect('/login'), /redirects to a login page/],
    ['the 403 page of Akamai', status(403, {}, AKAMAI), /status 403 \(Akamai refuses automated requests\)/],
    ['a wrong content type', status(200, { 'content-type': 'image/png' }), /is image\/png, not a page/],
    ['a redirect to metadata', redirect('http://169.254.169.254/'), /169\.254\.169\.254 is not a public host/],
  ])('%s', async (_, bad, reason) => {
    await sync();
    const before = published();
    answers = { ...GOOD, [CENTER]: bad };
    const { removed, state } = await sync();
    expect(state).toMatchObject({ status: 'failing', failure: expect.stringMatching(reason) as unknown });
    expect([removed, published()]).toEqual([0, before]);
    await expectRepair(before);
  });

  test('a link with ../ in place of that of a file', async () => {
    await sync();
    const before = published();
    answers = { ...GOOD, [CENTER]: page(center(row(FILE) + row('/AgendaCenter/ViewFile/Agenda/../../../etc/passwd'))) };
    const { removed, reasons } = await sync();
    expect(reasons).toMatch(/^1 skipped: /);
    expect([removed, published()]).toEqual([0, before]);
    await expectRepair(before);
  });
});
