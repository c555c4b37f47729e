import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordWriter } from '../../../commands/records/write-records.ts';
import { legistarHttpReader } from '../../../infra/legistar/http-client.ts';
import { systemClock } from '../../../infra/system/clock.ts';
import { catalogueRecords } from '../../../src/sources/catalogue/catalogue-records.ts';
import { syncAgendas } from '../../../src/sources/agendas/sync.ts';
import { longestTurn } from '../../support/longest-turn.ts';
import { MemoryRecords } from './memory-records.ts';

const CLIENT = 'examplecity';
const BODIES = JSON.stringify([{ BodyId: 1, BodyName: 'Council' }]);
/** The promise of the reader. */
const MOST_MS = 50;

let server: ReturnType<typeof createServer>;
/** Answers by the end of the path; a function gets the rows to skip. */
let answers: Record<string, Buffer | ((skip: number) => Buffer)>;
let requests: string[];
let records: MemoryRecords;

beforeEach(async () => {
  requests = [];
  answers = { bodies: Buffer.from(BODIES), eventitems: Buffer.from('[]') };
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://source');
    requests.push(`${url.pathname}${url.search}`);
    const answer = answers[url.pathname.split('/').at(-1) ?? ''];
    if (answer === undefined) return response.writeHead(404).end();
    return response
      .writeHead(200)
      .end(typeof answer === 'function' ? answer(Number(url.searchParams.get('$skip'))) : answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  records = new MemoryRecords();
  await records.write(catalogueRecords());
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const event = (EventId: number, more: object = {}) => ({
  EventId,
  EventBodyId: 1,
  EventBodyName: 'Council',
  EventDate: '2026-04-14T00:00:00',
  EventTime: '6:00 PM',
  EventInSiteURL: `https://example.legistar.com/MeetingDetail.aspx?ID=${EventId}`,
  ...more,
});
const item = (EventItemId: number, more: object = {}) => ({
  EventItemId,
  EventItemAgendaSequence: EventItemId,
  EventItemTitle: `Adopt ordinance ${EventItemId}`,
  EventItemMatterFile: `O-${EventItemId}`,
  ...more,
});
const listOf = (length: number, row: (id: number) => unknown) =>
  Buffer.from(JSON.stringify(Array.from({ length }, (_, n) => row(n + 1))));

/** Stores nothing: a store in memory takes a turn for each batch. */
const NOWHERE: RecordWriter = {
  write: async (changes) => {
    await new Promise(setImmediate);
    return changes.map(() => ({ kind: 'unchanged' }));
  },
};

function sync(writer: RecordWriter = NOWHERE) {
  const { port } = server.address() as AddressInfo;
  const retries = { attempts: 1, baseMilliseconds: 1, maxMilliseconds: 1 };
  const reader = legistarHttpReader({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    client: CLIENT,
    clock: systemClock,
    random: () => 0,
    retries,
  });
  const request = { client: CLIENT, options: { jurisdiction: 'addison' } };
  return longestTurn(() => syncAgendas(reader, request, { writer, known: records, clock: systemClock }));
}

/** Syncs again while a busy machine makes the longest turn too costly, at most five times. */
async function syncAtBest() {
  let best = await sync();
  for (let attempt = 1; attempt < 5 && best.longestMs >= MOST_MS; attempt += 1) {
    const next = await sync();
    if (next.longestMs < best.longestMs) best = next;
  }
  return best;
}

const eventRequests = () => requests.filter((path) => /\/events\?/.test(path));

test.each([
  ['that repeats its page', () => listOf(1000, event)],
  ['that repeats its page with further rows', () => listOf(1500, event)],
])('a list %s fails after the second page, with the reason', async (_, page) => {
  answers['events'] = page();
  const { result, longestMs } = await syncAtBest();
  expect(result.failure).toBe('page 2 of the list at events has no row that the pages before it do not have');
  expect(eventRequests()).toHaveLength(2);
  expect(longestMs).toBeLessThan(MOST_MS);
});

test('a list without an end ends at the limit of rows', async () => {
  answers['events'] = (skip) => listOf(1000, (n) => event(skip + n));
  const { result, longestMs } = await syncAtBest();
  expect(result.failure).toBe('the list at events has more than 100000 rows');
  expect(longestMs).toBeLessThan(MOST_MS);
});

test('a list of a round number of rows is whole where the source ignores how many to skip', async () => {
  answers['events'] = listOf(100, event);
  expect((await sync()).result).toMatchObject({ failure: null, read: { events: 100 } });
  expect(eventRequests()).toHaveLength(2);
});

test('a source that allows 100 rows on a page is read as a whole', async () => {
  const rows = Array.from({ length: 230 }, (_, n) => event(n + 1));
  answers['events'] = (skip) => Buffer.from(JSON.stringify(rows.slice(skip, skip + 100)));
  const { result } = await sync();
  expect(result).toMatchObject({ failure: null, read: { events: 230 } });
  expect(eventRequests()).toHaveLength(3);
});

test.each([
  ['300,000 rows', () => listOf(300_000, (EventId) => ({ EventId })), 'has more than'],
  ['30 MB in rows', () => listOf(20_000, (id) => event(id, { EventComment: 'x'.repeat(1300) })), 'page 2'],
  ['30 MB in one text', () => listOf(1, (id) => event(id, { EventComment: 'text\n'.repeat(5_000_000) })), null],
  ['60 MB', () => listOf(1, (id) => event(id, { EventComment: 'x'.repeat(60_000_000) })), 'over 33554432 bytes'],
  ['lists within lists', () => Buffer.from(`[${'['.repeat(400_000)}${']'.repeat(400_000)}]`), null],
])('an answer of %s blocks nothing', async (_, answer, failure) => {
  answers['events'] = answer();
  const { result, longestMs } = await syncAtBest();
  if (failure === null) expect(result.failure).toBeNull();
  else expect(result.failure).toContain(failure);
  expect(longestMs).toBeLessThan(MOST_MS);
});

test('an event with 100,000 items fails alone', async () => {
  answers['events'] = listOf(2, event);
  const items = listOf(100_000, item);
  const served = (skip: number) => (requests.at(-1)!.includes('/events/1/') ? items : listOf(skip === 0 ? 3 : 0, item));
  answers['eventitems'] = served;
  const { result, longestMs } = await sync(records);
  expect(result).toMatchObject({ failure: null, failedEvents: 1 });
  expect(result.skipped).toMatchObject([
    { what: 'event', id: '1', reason: expect.stringMatching(/more than 5000 rows|values/) as string },
  ]);
  expect(records.all('agenda_items')).toHaveLength(3);
  expect(longestMs).toBeLessThan(MOST_MS);
});

test.each([
  ['rows of one file', { EventItemMatterFile: 'O-1' }],
  ['long titles', { EventItemTitle: 'To consider an item; '.repeat(400) }],
  ['notices', { EventItemTitle: 'MEETING CANCELLED' }],
  [
    'attachments',
    {
      EventItemMatterAttachments: Array.from({ length: 20 }, (_, n) => ({
        MatterAttachmentId: n,
        MatterAttachmentName: 'Map',
        MatterAttachmentHyperlink: `https://example.legistar.com/${n}.pdf`,
      })),
    },
  ],
])('an event with as many items as are allowed blocks nothing: %s', async (_, fields) => {
  answers['events'] = listOf(1, event);
  const items = Array.from({ length: 5_000 }, (__, n) => item(n + 1, { EventItemAgendaNumber: `${n}`, ...fields }));
  const pages = new Map(
    [0, 1, 2, 3, 4, 5].map((n) => [n * 1000, Buffer.from(JSON.stringify(items.slice(n * 1000, (n + 1) * 1000)))]),
  );
  answers['eventitems'] = (skip) => pages.get(skip)!;
  const { result, longestMs } = await syncAtBest();
  expect(result).toMatchObject({ failure: null, failedEvents: 0, read: { items: 5_000 } });
  expect(longestMs).toBeLessThan(MOST_MS);
});

test.each([
  ['semicolons', '; '.repeat(150_000)],
  ['spaces', `${' '.repeat(299_999)}x`],
  ['comments without an end', '<!--'.repeat(75_000)],
  ['styles without an end', '<style>'.repeat(42_000)],
  ['references without an end', '&#'.repeat(150_000)],
  ['groups of RTF', `{\\rtf1${'{\\b '.repeat(75_000)}`],
  ['motions', 'Motion to approve. Motion carried. '.repeat(8_500)],
  ['dates', 'moved to January 12, 2027 '.repeat(11_500)],
  ['capitals', 'MEETING CANCELLED AND '.repeat(13_600)],
])('texts of 300,000 characters block nothing: %s', async (_, text) => {
  answers['events'] = listOf(3, (id) =>
    event(id, { EventComment: text, EventLocation: text, EventTime: text, EventBodyName: text }),
  );
  const fields = {
    EventItemTitle: text,
    EventItemAgendaNote: text,
    EventItemActionName: text,
    EventItemActionText: text,
    EventItemMatterName: text,
    EventItemMatterFile: text,
    EventItemMatterType: text,
  };
  answers['eventitems'] = listOf(3, (id) => item(id, fields));
  const { result, longestMs } = await syncAtBest();
  expect(result).toMatchObject({ failure: null, failedEvents: 0 });
  expect(longestMs).toBeLessThan(MOST_MS);
});

test('attachments over the limit of an item are skipped, and counted', async () => {
  const attachments = Array.from({ length: 1_200 }, (_, n) => ({
    MatterAttachmentId: n + 1,
    MatterAttachmentName: 'Map',
    MatterAttachmentHyperlink: `https://example.legistar.com/${n}.pdf`,
  }));
  answers['events'] = listOf(1, event);
  answers['eventitems'] = listOf(1, (id) => item(id, { EventItemMatterAttachments: attachments }));
  const { result } = await sync(records);
  expect(result.skipped).toEqual([
    { what: 'document', id: 'of item 1', reason: 'has 1200 attachments; 200 of them are not read' },
  ]);
  expect(records.all('documents')).toHaveLength(1_000);
});
