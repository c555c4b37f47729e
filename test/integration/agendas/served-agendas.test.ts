import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Civic } from '../../../src/app/civic.ts';
import { openCivic } from '../../../src/app/composition.ts';
import { readSettings } from '../../../src/app/settings.ts';
import { writeReferenceRecords } from '../../../src/sources/first-run.ts';
import { recordStream } from '../../../domain/streams.ts';
import { currentIds } from '../../../queries/feed/published-records.ts';
import type { Resource } from '../../../domain/records/resources.ts';
import { AGENDA_LINES, agendaPdf } from '../../support/agenda-pdf.ts';
import { startTestDatabase, type TestDatabase } from '../../support/embedded-database.ts';

const CLIENT = 'example-fe6aa5cc-7448-4194-ac6e-08dc95f79ccc';
const PLACE = { slug: 'example-city', name: 'Example City', timezone: 'America/Chicago' };
const ADDED = { source: 'techshare', client: CLIENT, jurisdiction: PLACE, isPublic: false };
const NAME = 'Zebulona Quixworth';

let database: TestDatabase;
let civic: Civic;
let site: Awaited<ReturnType<typeof startPortal>>;
let agenda: Uint8Array;
/** Runs before the list is answered. */
let onList: (() => Promise<void>) | undefined;

const MEETING = {
  id: 'one',
  meetingStartDateTime: '2026-12-08T00:00:00',
  meetingType: 'City Council',
  isPublished: true,
  agendaAttachmentId: '7',
};
let listed: readonly (typeof MEETING)[];

/** A portal of TechShare with meetings and one agenda. */
async function startPortal() {
  const downloads: (string | undefined)[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url!, 'http://portal');
    request.resume();
    if (pathname.endsWith('/download')) {
      const etag = `"${agenda.byteLength}"`;
      downloads.push(request.headers['if-none-match']);
      if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
      return response.writeHead(200, { 'content-type': 'application/octet-stream', etag }).end(agenda);
    }
    await onList?.();
    const data = pathname.endsWith('/readCurrentAndUpcoming') ? listed : [];
    return pathname.includes('/api/meetings/') ? response.end(JSON.stringify({ data })) : response.writeHead(404).end();
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/publicportal`,
    downloads,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

beforeEach(async () => {
  [onList, listed] = [undefined, [MEETING]];
  agenda = agendaPdf([...AGENDA_LINES.slice(0, -1), `C. Consider the appointment of ${NAME} to the library board`]);
  [database, site] = await Promise.all([startTestDatabase(), startPortal()]);
  const { settings } = readSettings({
    DATABASE_URL: database.url,
    CIVIC_LOG_LEVEL: 'silent',
    CIVIC_SOURCE_PAUSE: 'PT0S',
  });
  civic = await openCivic(settings, 'command', []);
  civic.startProjector();
  civic.startReactors(['erasure_traces']);
  await writeReferenceRecords(civic);
  await folded();
  await civic.addSource({ ...ADDED, baseUrl: site.baseUrl }, 30_000);
});
afterEach(async () => {
  await civic?.close();
  await site?.close();
  await database?.close();
});

const folded = async () => expect(await civic.caughtUp(await civic.log.head())).toBe(true);
const sync = async () => {
  const report = await civic.syncSource('techshare', {
    client: CLIENT,
    options: {},
  });
  await folded();
  return report;
};
const removeSource = async () =>
  expect(await civic.removeSource({ source: 'techshare', client: CLIENT }, 30_000)).toMatchObject({ kind: 'appended' });
async function all<R extends Resource>(resource: R) {
  const ids: string[] = [];
  for await (const page of currentIds(civic.reads, resource)) ids.push(...page);
  return civic.published.current(resource, ids);
}
const stored = () => civic.storedDocuments.find(`${site.baseUrl}/api/meetingattachments/download?id=7`);
const texts = async () =>
  (
    await civic.database.transactor.transaction((transaction) =>
      transaction.query<{ text: string }>({ text: 'select text from civic.document_texts', values: [] }),
    )
  ).rows.map(({ text }) => text);

test('an agenda in a PDF is read from the list to the answer of a tool, once for each version', async () => {
  expect(await sync()).toMatchObject({ failure: null, rejected: [], degraded: [], read: { events: 1, items: 8 } });
  const items = [...(await all('agenda_items')).values()];
  const item = items.find(({ title }) => title.includes(NAME))!;
  const { data } = await civic.tools.functions.get_agenda_item({ itemId: item.id }, {} as never);
  expect(data.item).toMatchObject({
    agendaNumber: '3.C',
    section: 'PUBLIC HEARINGS',
    body: 'City Council',
    sourceUrl: `${site.baseUrl}/api/meetingattachments/download?id=7#page=1`,
  });
  expect([...(await all('documents')).values()]).toMatchObject([
    { kind: 'agenda', mediaType: 'application/pdf', bytes: agenda.byteLength, textEvidence: 'readable' },
  ]);
  expect((await stored())!.recordIds).toContain(item.id);
  expect(await sync()).toMatchObject({ appended: 0, removed: 0 });
  expect(site.downloads).toEqual([undefined, `"${agenda.byteLength}"`]);
});

test('an erasure deletes the stored text of the agenda, and the next sync reads what the source serves then', async () => {
  await sync();
  const item = [...(await all('agenda_items')).values()].find(({ title }) => title.includes(NAME))!;
  expect(await texts()).toEqual([expect.stringContaining(NAME)]);
  const { position } = await civic.erasing.erase({
    streams: [{ stream: recordStream('agenda_items', item.id) }],
    erasing: { path: null, literal: NAME, replacement: '[removed]' },
    reason: 'personal_data',
    by: 'operator',
    dryRun: false,
  });
  expect(position).not.toBeNull();
  await folded();
  await civic.erasing.purgeCopies([recordStream('agenda_items', item.id)]);
  expect(await texts()).toEqual([]);
  agenda = agendaPdf(AGENDA_LINES.slice(0, 4));
  await sync();
  expect(await texts()).toEqual([expect.not.stringContaining(NAME)]);
  expect((await all('agenda_items')).has(item.id)).toBe(false);
});

test('the status of a source states why its agenda could not be read, until the next good answer', async () => {
  await sync();
  const reasons = async () =>
    (await civic.sourceStates()).map((state) => [state.client, state.degraded, state.reasons]);
  expect(await reasons()).toEqual([[CLIENT, 0, []]]);
  const good = agenda;
  agenda = agenda.slice(0, 60);
  await sync();
  const address = `${site.baseUrl}/api/meetingattachments/download?id=7`;
  const reason = { effect: 'degraded', reason: 'its agenda is not a complete PDF', count: 1, address };
  expect(await reasons()).toEqual([[CLIENT, 1, [expect.objectContaining(reason)]]]);
  agenda = good;
  await sync();
  expect(await reasons()).toEqual([[CLIENT, 0, []]]);
  agenda = agenda.slice(0, 60);
  await sync();
  await removeSource();
  expect(await civic.sourceChecks.list()).toEqual([]);
});

test('a first sync whose source is removed while it fails leaves no row in the status', async () => {
  onList = async () => {
    onList = undefined;
    listed = [];
    await removeSource();
  };
  expect((await sync()).failure).not.toBeNull();
  expect(await civic.sourceChecks.list()).toEqual([]);
});

test('removing the source with its records deletes the stored text of its agendas', async () => {
  await sync();
  expect(await texts()).toHaveLength(1);
  await removeSource();
  await civic.removeRecords({ ...ADDED, baseUrl: site.baseUrl });
  await folded();
  expect((await all('agenda_items')).size).toBe(0);
  expect(await texts()).toEqual([]);
});

test('the text of an agenda is found by its words, with its meeting, at its place and day, and not after an erasure', async () => {
  agenda = agendaPdf([
    ...AGENDA_LINES,
    'The building is accessible. Ask the clerk for an interpreter of sign language.',
  ]);
  await sync();
  const find = async (query: string, filters: object = {}) => {
    const input = { query, limit: 20, ...filters } as never;
    return civic.pages.searchDocuments(input, '127.0.0.1');
  };
  const [meeting] = [...(await all('meetings')).keys()];
  const match = [
    { meetingId: meeting, excerpt: expect.stringContaining('Ask the clerk for an interpreter') as string },
  ];
  expect(await find('interpreter "sign language"')).toEqual(match);
  expect(
    await find('interpreters', { jurisdictionSlug: PLACE.slug, fromDate: '2026-12-08', toDate: '2026-12-08' }),
  ).toEqual(match);
  for (const filters of [{ jurisdictionSlug: 'dallas' }, { fromDate: '2026-12-09' }, { toDate: '2026-12-07' }])
    expect(await find('interpreter', filters)).toEqual([]);
  for (const query of ['"language sign"', 'interpreter -clerk', '-nothing', 'the', `' & ! ( <->`])
    expect([query, await find(query)]).toEqual([query, []]);
  await civic.storedDocuments.forget([meeting!]);
  expect(await find('interpreter')).toEqual([]);
});

test('each meeting that shows a file is found by its words, and the next syncs write nothing', async () => {
  listed = [MEETING, { ...MEETING, id: 'two', meetingStartDateTime: '2026-12-15T00:00:00' }];
  await sync();
  const found = await civic.pages.searchDocuments({ query: 'Quixworth', limit: 20 }, '127.0.0.1');
  expect(found.map(({ meetingId }) => meetingId).toSorted()).toEqual([...(await all('meetings')).keys()].toSorted());
  expect(found).toHaveLength(2);
  const rows = () =>
    civic.database.transactor.transaction((transaction) =>
      transaction.query<{ row: string }>({ text: 'select xmin::text as row from civic.document_texts', values: [] }),
    );
  const before = (await rows()).rows;
  expect(await sync()).toMatchObject({ appended: 0 });
  expect((await rows()).rows).toEqual(before);
});
