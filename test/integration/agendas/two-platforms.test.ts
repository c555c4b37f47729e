import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '../../../domain/durations.ts';
import type { Resource } from '../../../domain/records/resources.ts';
import { currentIds } from '../../../queries/feed/published-records.ts';
import type { Civic } from '../../../src/app/civic.ts';
import { openCivic } from '../../../src/app/composition.ts';
import { readSettings } from '../../../src/app/settings.ts';
import { catalogueBodyId } from '../../../src/sources/catalogue/catalogue-records.ts';
import { writeReferenceRecords } from '../../../src/sources/first-run.ts';
import { agendaPdf } from '../../support/agenda-pdf.ts';
import { startTestDatabase, type TestDatabase } from '../../support/embedded-database.ts';

const PLACE = { slug: 'ellis-county', name: 'Ellis County', timezone: 'America/Chicago' };
const CLIENTS = { civicplus: 'www.example.gov', swagit: 'exampletx' } as const;
type Platform = keyof typeof CLIENTS;

const day = new Date(Date.now() - 10 * DAY_MS);
const [year, month, date] = day.toISOString().slice(0, 10).split('-') as [string, string, string];
const longDate = day.toLocaleDateString('en-US', { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' });
const short = day.toLocaleDateString('en-US', { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' });
const paper = `_${month}${date}${year}-11`;

const AGENDAS = `<div id="AgendaCenterContent"><div class="listing" id="cat4"><h2>Commissioners Court Agendas</h2>
  <span id="section4"><ul class="years"><li class="current"><a href="javascript:changeYear(${year}, 4, 'a0')">${year}</a></li></ul>
  <table><tbody><tr class="catAgendaRow"><td><h3><a name="${paper}"></a><strong aria-label="Agenda for ${longDate}"></strong></h3>
  <p><a href="/AgendaCenter/ViewFile/Agenda/${paper}">Regular Meeting</a></p></td></tr></tbody></table></span></div></div>`;
const VIDEOS = `<table id="video-table"><tr><td><a href="/videos/501">Ellis County Commissioners Court</a></td>
  <td>${short}</td><td>1h 2m</td></tr></table>`;
const VIDEO = ['1. Approval of a lease', '2. Order on the burn ban']
  .map((title, index) => `<a class="playerControl" data-id="${index + 1}" data-title="${title}">${title}</a>`)
  .join('');

let database: TestDatabase;
let civic: Civic;
let site: Awaited<ReturnType<typeof startSite>>;

/** A site with agendas that are scans, and with recordings. */
async function startSite() {
  const scan = agendaPdf([]);
  const pages: Readonly<Record<string, string | Uint8Array>> = {
    '/AgendaCenter': AGENDAS,
    [`/AgendaCenter/ViewFile/Agenda/${paper}`]: scan,
    '/views/default': VIDEOS,
    '/videos/501': VIDEO,
  };
  const server = createServer((request, response) => {
    const page = pages[new URL(request.url!, 'http://site').pathname];
    const type = typeof page === 'string' ? 'text/html' : 'application/pdf';
    if (page === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': type }).end(page);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const added = (source: Platform) => ({
  source,
  client: CLIENTS[source],
  jurisdiction: PLACE,
  isPublic: false,
  baseUrl: site.baseUrl,
});

beforeEach(async () => {
  [database, site] = await Promise.all([startTestDatabase(), startSite()]);
  const { settings } = readSettings({
    DATABASE_URL: database.url,
    CIVIC_LOG_LEVEL: 'silent',
    CIVIC_SOURCE_PAUSE: 'PT0S',
  });
  civic = await openCivic(settings, 'command', []);
  civic.startProjector();
  await writeReferenceRecords(civic);
  await folded();
  for (const source of ['swagit', 'civicplus'] as const) await civic.addSource(added(source), 30_000);
});
afterEach(async () => {
  await civic?.close();
  await site?.close();
  await database?.close();
});

const folded = async () => expect(await civic.caughtUp(await civic.log.head())).toBe(true);
async function sync(source: Platform) {
  const report = await civic.syncSource(source, { client: CLIENTS[source], options: {} });
  await folded();
  expect([source, report.failure, report.rejected]).toEqual([source, null, []]);
  return report;
}
async function remove(source: Platform) {
  const handled = await civic.removeSource({ source, client: CLIENTS[source] }, 30_000);
  expect(handled.kind).toBe('appended');
  await civic.removeRecords(added(source));
  await folded();
}
async function all<R extends Resource>(resource: R) {
  const ids: string[] = [];
  for await (const page of currentIds(civic.reads, resource)) ids.push(...page);
  return [...(await civic.published.current(resource, ids)).values()];
}

test('a county that publishes agendas on one platform and recordings on another has one body and one meeting', async () => {
  for (const source of ['swagit', 'civicplus', 'swagit'] as const) await sync(source);
  const [meeting, ...others] = await all('meetings');
  expect([meeting!.publicBodyId, others]).toEqual([catalogueBodyId('ellis-county', 'commissioners-court'), []]);
  expect(meeting!.sourceUrl).toContain(paper);
  const documents = await all('documents');
  expect(documents.map(({ kind, url }) => `${kind} ${new URL(url).pathname}`).toSorted()).toEqual([
    `agenda /AgendaCenter/ViewFile/Agenda/${paper}`,
    'other /videos/501',
  ]);
  const items = await all('agenda_items');
  expect(items.map(({ title, meetingId }) => `${title} ${meetingId}`).toSorted()).toEqual([
    `Approval of a lease ${meeting!.id}`,
    `Order on the burn ban ${meeting!.id}`,
  ]);
  for (const source of ['swagit', 'civicplus'] as const) expect((await sync(source)).appended).toBe(0);
});

test('removing a source makes the polls of the other sources of its place due', async () => {
  for (const source of ['civicplus', 'swagit'] as const) await sync(source);
  const [later, lease] = [Date.now() + DAY_MS, `poll swagit:${CLIENTS.swagit}`];
  const query = <Row extends object>(text: string, values: readonly (string | number)[]) =>
    civic.database.transactor.transaction((transaction) => transaction.query<Row>({ text, values }));
  await query(
    `insert into civic.processors (name, due_at, token, lease_until) values ($1, $2, 1, 0), ('other', $2, 1, 0)`,
    [lease, later],
  );
  await remove('civicplus');
  const { rows } = await query<{ name: string }>(`select name from civic.processors where due_at >= $1`, [later]);
  expect(rows.map(({ name }) => name)).toEqual(['other']);
});

test('each of the two sources can be removed with its records', async () => {
  for (const source of ['civicplus', 'swagit'] as const) await sync(source);
  await remove('civicplus');
  expect([await all('meetings'), await all('documents'), await all('agenda_items')]).toEqual([[], [], []]);
  await sync('swagit');
  expect((await all('meetings')).map(({ sourceUrl }) => new URL(sourceUrl).pathname)).toEqual(['/videos/501']);
  expect(await all('agenda_items')).toHaveLength(2);
  await civic.addSource(added('civicplus'), 30_000);
  for (const source of ['civicplus', 'swagit'] as const) await sync(source);
  await remove('swagit');
  expect((await all('documents')).map(({ kind }) => kind)).toEqual(['agenda']);
  expect([(await all('meetings')).length, await all('agenda_items')]).toEqual([1, []]);
});
