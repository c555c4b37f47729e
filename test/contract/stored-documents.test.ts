import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unread } from '../../domain/agenda-text/read-agenda.ts';
import type { StoredDocuments } from '../../domain/ports/documents.ts';
import { type Database, openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { createStoredDocuments } from '../../infra/postgresql/documents/stored-documents.ts';
import { createWorkingRows } from '../../infra/postgresql/installation/working-rows.ts';
import { createErasedCopies } from '../../infra/postgresql/log/erased-copies.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

let server: TestDatabase;
let database: Database;
let documents: StoredDocuments;

beforeAll(async () => {
  server = await startTestDatabase();
  database = await openDatabase({ dsn: server.url, statementTimeoutMs: 5_000 });
  documents = createStoredDocuments(database.transactor);
});
afterAll(async () => {
  await database?.close();
  await server?.close();
});

const version = (text: string) => ({
  sha256: createHash('sha256').update(text).digest('hex'),
  bytes: text.length,
  mediaType: 'application/pdf',
  agenda: unread(`invented ü for ${text.slice(0, 20)}`),
  readingVersion: 1,
  validator: { etag: `"${text.slice(0, 20)}"` },
  checkedAt: 7,
  text,
});
const address = () => `https://example.org/agenda/${randomUUID()}`;
const texts = async (): Promise<readonly string[]> =>
  (
    await database.transactor.transaction((transaction) =>
      transaction.query<{ text: string }>({ text: 'select text from civic.document_texts order by text', values: [] }),
    )
  ).rows.map(({ text }) => text);

test('an address has the version that it served last, and a version that no address serves is deleted', async () => {
  const [one, other] = [address(), address()];
  const { text: first, ...stored } = version('first');
  expect(await documents.find(one)).toBeNull();
  await documents.put(one, { ...stored, text: first });
  await documents.put(other, { ...stored, text: first });
  expect(await documents.find(one)).toEqual({ ...stored, recordIds: [], meetingIds: [] });
  await documents.confirm(one, { validator: { lastModified: 'today' }, checkedAt: 9 });
  expect(await documents.find(one)).toMatchObject({ validator: { lastModified: 'today' }, checkedAt: 9 });

  await documents.put(one, version('second'));
  expect(await texts()).toEqual(['first', 'second']);
  await documents.put(other, version('second'));
  expect(await texts()).toEqual(['second']);
});

test('an erasure of a record deletes the documents that it was published from, and no others', async () => {
  const [erased, intact] = [address(), address()];
  const [item, agenda] = [randomUUID(), randomUUID()];
  await documents.put(erased, version('has the name'));
  await documents.put(intact, version('has no name'));
  await documents.link(version('has no name').sha256, { meetingId: randomUUID(), recordIds: [] });
  const { sha256 } = (await documents.find(erased))!;
  const meetingId = randomUUID();
  await documents.link(sha256, { meetingId, recordIds: [agenda] });
  await documents.link(sha256, { meetingId, recordIds: [item, agenda] });
  expect(new Set((await documents.find(erased))!.recordIds)).toEqual(new Set([meetingId, item, agenda]));

  const copies = createErasedCopies(database.transactor, server.url);
  await copies.clear([`accounts-${agenda}`, 'source_list-civic'], 0);
  expect(await documents.find(erased)).not.toBeNull();
  await copies.clear([`agenda_items-${item}`], 0);
  expect(await documents.find(erased)).toBeNull();
  expect(await documents.find(intact)).not.toBeNull();
  expect(await texts()).not.toContain('has the name');
});

test('a version has all meetings that show it, writes nothing for a known one, and is listed with its text', async () => {
  const at = address();
  const { text, sha256 } = version('shown by two meetings');
  await documents.put(at, version(text));
  const [first, second] = [randomUUID(), randomUUID()];
  const link = (meetingId: string) => documents.link(sha256, { meetingId, recordIds: [] });
  const written = async () =>
    (
      await database.transactor.transaction((transaction) =>
        transaction.query<{ xmin: string }>({
          text: 'select xmin::text from civic.document_texts where sha256 = $1',
          values: [sha256],
        }),
      )
    ).rows[0]!.xmin;
  await link(first);
  await link(second);
  const before = await written();
  for (const meetingId of [first, second, first]) await link(meetingId);
  expect(await written()).toBe(before);
  expect(new Set((await documents.find(at))!.meetingIds)).toEqual(new Set([first, second]));
  const listed: string[] = [];
  for (let after = ''; ; ) {
    const [next] = await documents.texts(after, 1);
    if (next === undefined) break;
    listed.push(next.text);
    if (next.sha256 === sha256)
      expect(next).toMatchObject({ address: at, text, meetingIds: expect.arrayContaining([first, second]) });
    after = next.sha256;
  }
  expect(listed.toSorted()).toEqual(await texts());
});

test('a version that one of its addresses no longer serves is shown by no meeting until the next link', async () => {
  const [moved, other] = [address(), address()];
  const { sha256 } = version('served twice');
  for (const at of [moved, other]) await documents.put(at, version('served twice'));
  const [first, second] = [randomUUID(), randomUUID()];
  for (const meetingId of [first, second]) await documents.link(sha256, { meetingId, recordIds: [] });
  await documents.put(moved, version('served instead'));
  expect((await documents.find(other))!.meetingIds).toEqual([]);
  await documents.link(sha256, { meetingId: second, recordIds: [] });
  expect((await documents.find(other))!.meetingIds).toEqual([second]);
});

test('an erasure deletes the documents that no record shows', async () => {
  const at = address();
  await documents.put(at, version('of no record'));
  await createErasedCopies(database.transactor, server.url).clear([`agenda_items-${randomUUID()}`], 0);
  expect(await documents.find(at)).toBeNull();
});

test('a backup restores documents, without an address whose version it lacks', async () => {
  const [whole, late] = [address(), address()];
  await documents.put(whole, version('in the backup'));
  const rows = createWorkingRows(database.transactor);
  const saved = async (table: 'texts' | 'addresses') => (await rows.page(table, null, 100)).map(({ text }) => text);
  const savedTexts = await saved('texts');
  await documents.put(late, version('stored meanwhile'));
  const savedAddresses = await saved('addresses');

  const target = await startTestDatabase();
  const restored = await openDatabase({ dsn: target.url, statementTimeoutMs: 5_000 });
  try {
    const into = createWorkingRows(restored.transactor);
    for (let times = 0; times < 2; times += 1) {
      await into.put('texts', savedTexts);
      await into.put('addresses', savedAddresses);
    }
    const restoredDocuments = createStoredDocuments(restored.transactor);
    expect(await restoredDocuments.find(whole)).toEqual(await documents.find(whole));
    expect(await restoredDocuments.find(late)).toBeNull();
  } finally {
    await restored.close();
    await target.close();
  }
});

const distinct = (write: (nth: string) => string) =>
  Array.from({ length: 200_000 }, (_, nth) => write(nth.toString(36))).join(' ');

test.each([
  ['words', (nth: string) => `${nth}x`],
  ['compound words', (nth: string) => `${nth}a-b${nth}-c${nth}`],
  ['addresses', (nth: string) => `${nth}.co/${nth} ${nth}@${nth}.org`],
  ['words of many bytes', (nth: string) => `文${nth}字`],
  ['numbers', (nth: string) => `${nth.length}.${nth}-7/8`],
])('the words of any text can be indexed: %s', async (_, write) => {
  const at = address();
  await documents.put(at, version(distinct(write)));
  expect(await documents.find(at)).not.toBeNull();
});

test('a text of any length is a line of a backup', async () => {
  const at = address();
  await documents.put(at, version(`${'é"\n'.repeat(3)}${'文'.repeat(1_100_000)}`));
  const page = await createWorkingRows(database.transactor).page('texts', null, 100);
  const longest = Math.max(...page.map(({ text }) => Buffer.byteLength(text)));
  expect(longest).toBeGreaterThan(2_900_000);
  expect(longest).toBeLessThan(8 * 1_048_576);
});
