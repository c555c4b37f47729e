import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Statement } from '../../domain/ports/database.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { clientConfig } from '../../infra/postgresql/connection/sessions.ts';
import { createReadMeetingItems } from '../../queries/meetings/read-meeting-items.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { councilOfDallas, hit, item, meeting, pageRecordId } from '../support/page-records.ts';
import { type ServedCivic, serveCivic } from '../support/served-civic.ts';
import { statementOf } from '../support/slonik-statements.ts';

const QUOTE = 'The plan allows 40 flats.';
const [BEFORE, AFTER] = ['𝔘 before '.repeat(20_000), ' after'.repeat(20_000)];
const MEETING = pageRecordId('meetings', 'next');

let database: TestDatabase;
let served: ServedCivic;
let session: Client;

beforeAll(async () => {
  database = await startTestDatabase();
  served = await serveCivic(database.url);
  await served.civic.writer.write(
    [
      ...councilOfDallas(),
      meeting('next', 7),
      item('inside', 'next', { sequence: 1, text: `${BEFORE}${QUOTE}${AFTER}` }),
      item('first', 'next', { sequence: 2, text: `a ${QUOTE} b` }),
      item('title', 'next', { sequence: 3, title: QUOTE, text: AFTER }),
      item('none', 'next', { sequence: 10, text: AFTER }),
      ...['inside', 'first', 'title'].map((name) => hit(name, name, { evidenceQuote: QUOTE })),
    ],
    {},
  );
  await served.civic.caughtUp(await served.civic.log.head());
  session = new Client(clientConfig({ dsn: database.url, purpose: 'plans' }));
  await session.connect();
});
afterAll(async () => {
  await session?.end();
  await served?.close();
  await database?.close();
});

/** The statement is kept in `sent`. */
const statements: Statement[] = [];
const reads = (): LiveReads => ({
  ...served.civic.reads,
  many: (build) =>
    served.civic.reads.many((live) => {
      const query = build(live);
      statements.push(statementOf(query));
      return query;
    }),
});
const read = (around: number) => createReadMeetingItems(reads())(MEETING, { offset: 0, limit: 10, around });

test('an item of a meeting has the stretch of its text around each quote, and no more of it', async () => {
  const { items, total } = await read(10);
  expect(total).toBe(4);
  expect(items.map(({ topics }) => topics.map(({ quotedText }) => quotedText))).toEqual([
    [`${Array.from(BEFORE).slice(-10).join('')}${QUOTE}${AFTER.slice(0, 10)}`],
    [`a ${QUOTE} b`],
    [null],
    [],
  ]);
  expect(JSON.stringify(items).length).toBeLessThan(3_000);
});

test('the page of a meeting marks where the text around a quote is cut', async () => {
  const answer = await fetch(`${served.baseUrl}/meetings/${MEETING}`, { headers: { accept: 'text/html' } });
  const page = await answer.text();
  const [before, after] = [BEFORE.slice(-160).replace(/^\S+ /, ''), AFTER.slice(0, 160).replace(/ \S+$/, '')];
  expect(page).toContain(`<blockquote>… ${before}<mark>${QUOTE}</mark>${after} …</blockquote>`);
  expect(page).toContain(`<blockquote>a <mark>${QUOTE}</mark> b</blockquote>`);
});

test('the page of a meeting has the items under their headings, and counts items alone', async () => {
  const rows = [
    item('h1', 'sections', { sequence: 1, title: 'CONSENT AGENDA', agendaNumber: '2.', kind: 'heading' }),
    item('i1', 'sections', { sequence: 2, title: 'Lease of benches', kind: 'item', section: 'CONSENT AGENDA' }),
    item('p1', 'sections', { sequence: 3, title: 'Recess', kind: 'procedural' }),
    item('i2', 'sections', { sequence: 4, title: 'Purchase of lamps', kind: 'item', section: 'BIDS' }),
    item('i3', 'sections', { sequence: 5, title: 'Purchase of fences', kind: 'item', section: 'BIDS' }),
    item('i4', 'sections', { sequence: 6, title: 'Adopt the budget' }),
  ];
  await served.civic.writer.write([meeting('sections', 8), ...rows], {});
  await served.civic.caughtUp(await served.civic.log.head());
  const meetingId = pageRecordId('meetings', 'sections');
  const page = await (
    await fetch(`${served.baseUrl}/meetings/${meetingId}`, { headers: { accept: 'text/html' } })
  ).text();
  const list = page.slice(
    page.indexOf('<ul class="entries">'),
    page.indexOf('</section>', page.indexOf('<ul class="entries">')),
  );
  expect(
    [...list.matchAll(/<h3>(.*?)<\/h3>|<a href="\/items\/[^>]*>(.*?)<\/a>/g)].map(([whole]) =>
      whole.replaceAll(/<[^>]*>/g, ''),
    ),
  ).toEqual([
    '2. CONSENT AGENDA',
    'Lease of benches',
    'Recess',
    'BIDS',
    'Purchase of lamps',
    'Purchase of fences',
    'Adopt the budget',
  ]);
  const readRows = createReadMeetingItems(reads());
  expect(await readRows(meetingId, { offset: 0, limit: 3, around: 1 })).toMatchObject({
    total: 6,
    itemCount: 4,
    itemsBefore: 0,
  });
  expect(await readRows(meetingId, { offset: 3, limit: 3, around: 1 })).toMatchObject({
    total: 6,
    itemCount: 4,
    itemsBefore: 1,
  });
  const step = await (
    await fetch(`${served.baseUrl}/items/${pageRecordId('agenda_items', 'p1')}`, { headers: { accept: 'text/html' } })
  ).text();
  expect(step).toContain('<dt>Kind</dt><dd>procedural step</dd>');
});

interface Node {
  readonly 'Node Type': string;
  readonly Output?: readonly string[];
  readonly Plans?: readonly Node[];
}
const nodes = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodes)];

test('what is sorted to find a page of items has no texts', async () => {
  await read(10);
  const { text, values } = statements.at(-1)!;
  const { rows } = await session.query<{ 'QUERY PLAN': [{ readonly Plan: Node }] }>(
    `explain (verbose, format json) ${text}`,
    [...(values ?? [])],
  );
  const [{ Plan: plan }] = rows[0]!['QUERY PLAN'];
  const scanned = nodes(plan).filter((node) => node['Node Type'] === 'CTE Scan');
  expect(scanned.map(({ Output }) => Output)).toEqual([['page.item_id', 'page.sequence']]);
});
