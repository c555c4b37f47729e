import { beforeEach, expect, test } from 'vitest';
import { catalogueRecords } from '../../../src/sources/catalogue/catalogue-records.ts';
import { MemoryRecords } from './memory-records.ts';
import { copyOf, danglingOf, event, PLACE, type TestSource, testSource } from './two-sources.ts';

let records: MemoryRecords;
let one: TestSource;
let other: TestSource;
let third: TestSource;

beforeEach(() => {
  records = new MemoryRecords();
  [one, other, third] = ['one', 'other', 'third'].map((client) => testSource(records, client)) as [
    TestSource,
    TestSource,
    TestSource,
  ];
  one.events = [event(1)];
  other.bodies = [{ BodyId: 3, BodyName: 'Example County Commissioners’ Court' }];
  other.events = [event(2, { EventBodyId: 3, EventDate: '2026-09-22T00:00:00' })];
  third.bodies = [{ BodyId: 5, BodyName: 'The commissioners court' }];
  third.events = [event(3, { EventBodyId: 5, EventDate: '2026-09-29T00:00:00' })];
});

const bodies = () => records.all('public_bodies').map(({ content }) => [content.slug, content.active]);
const bodiesOfMeetings = () =>
  Object.fromEntries(
    records
      .all('meetings')
      .map(({ content }) => [content.sourceRecordId, records.records.get(String(content.publicBodyId))?.content.slug]),
  );

/** Syncs the sources one after the other. */
async function syncInTurn(...sources: readonly TestSource[]): Promise<void> {
  for (const source of sources) {
    records.time = new Date(Date.parse(records.time) + 60_000).toISOString();
    await source.sync();
  }
}

test('three clients of one place share the body that each of them names', async () => {
  await syncInTurn(one, other, third);
  expect(bodies()).toEqual([['commissioners-court', true]]);
  expect(bodiesOfMeetings()).toEqual({ 1: 'commissioners-court', 2: 'commissioners-court', 3: 'commissioners-court' });
  expect(records.all('sources').map(({ content }) => content.sourceTypeLabel)).toEqual(['one', 'other', 'third']);
  for (const source of [one, other, third]) expect((await source.sync()).appended).toBe(0);
});

test('a body with two possible names, or of another place, is not shared', async () => {
  one.bodies.push({ BodyId: 8, BodyName: 'Commissioners’ Court' });
  await one.sync();
  await other.sync();
  expect(bodies()).toHaveLength(3);
  const elsewhere = testSource(records, 'elsewhere', {}, { ...PLACE, slug: 'sample-county', name: 'Sample County' });
  elsewhere.events = [event(9)];
  await elsewhere.sync();
  expect(new Set(records.all('public_bodies').map(({ content }) => content.jurisdictionId)).size).toBe(2);
  expect(bodies()).toHaveLength(4);
});

test('a body stays with the records of the last client that names it, and goes with that client', async () => {
  await syncInTurn(one, other, third);
  await one.remove();
  expect(bodies()).toEqual([['commissioners-court', true]]);
  expect(Object.keys(bodiesOfMeetings())).toEqual(['2', '3']);
  expect(danglingOf(records)).toEqual([]);
  expect((await other.sync()).appended).toBe(0);
  other.bodies[0]!['BodyActiveFlag'] = 0;
  await other.sync();
  expect(bodies()).toEqual([['commissioners-court', true]]);
  await third.remove();
  await other.sync();
  expect(bodies()).toEqual([['commissioners-court', false]]);
  await other.remove();
  expect(records.records.size).toBe(0);
});

test('a body is retired by the last client that lists it', async () => {
  await syncInTurn(one, other);
  one.bodies = [{ BodyId: 70, BodyName: 'Housing Board' }];
  one.events = [event(10, { EventBodyId: 70 })];
  await one.sync();
  expect(bodies()).toContainEqual(['commissioners-court', true]);
  other.bodies = [{ BodyId: 71, BodyName: 'Library Board' }];
  other.events = [event(11, { EventBodyId: 71 })];
  await other.sync();
  expect(bodies()).toContainEqual(['commissioners-court', false]);
});

test('a shared body that one client renames stays one', async () => {
  await syncInTurn(one, other);
  one.bodies[0]!['BodyName'] = 'Court of Commissioners';
  await one.sync();
  expect((await other.sync()).appended).toBe(0);
  other.bodies[0]!['BodyName'] = 'Commissioners in Session';
  await other.sync();
  expect(bodies()).toEqual([['commissioners-court', true]]);
  await one.remove();
  expect((await other.sync()).appended).toBe(0);
});

test('two bodies of one client that swap names stay two', async () => {
  one.bodies.push({ BodyId: 8, BodyName: 'Library Board' });
  await syncInTurn(one, other);
  one.bodies = [
    { BodyId: 7, BodyName: 'Library Board' },
    { BodyId: 8, BodyName: 'Commissioners Court' },
  ];
  await one.sync();
  expect(bodies()).toHaveLength(2);
  expect(bodiesOfMeetings()).toEqual({ 1: 'commissioners-court', 2: 'commissioners-court' });
});

test('a meeting that moves to another body of its client leaves the shared one unchanged', async () => {
  one.bodies.push({ BodyId: 8, BodyName: 'Library Board' });
  await syncInTurn(one, other);
  one.events[0]!['EventBodyId'] = 8;
  await one.sync();
  expect(bodiesOfMeetings()).toEqual({ 1: 'library-board', 2: 'commissioners-court' });
  expect((await one.sync()).appended).toBe(0);
});

test('two first syncs at the same time publish two bodies, and the next ones make them one', async () => {
  const before = copyOf(records);
  records.time = '2026-09-20T11:59:00.000Z';
  await one.sync(before);
  records.time = '2026-09-20T11:59:01.000Z';
  await other.sync(before);
  records.time = '2026-09-20T11:59:02.000Z';
  await third.sync(before);
  expect(bodies()).toHaveLength(3);
  for (const source of [one, third, other, third]) await source.sync();
  expect(bodies()).toEqual([['commissioners-court', true]]);
  expect(danglingOf(records)).toEqual([]);
  for (const source of [one, other, third]) expect((await source.sync()).appended).toBe(0);
});

test('bodies that were published apart for more than a day stay apart', async () => {
  const before = copyOf(records);
  await one.sync(before);
  await other.sync(before);
  for (const source of [one, other]) expect((await source.sync()).appended).toBe(0);
  expect(bodies()).toHaveLength(2);
});

test('a body whose records were removed while a sync shared it is published again', async () => {
  await one.sync();
  await other.sync();
  const [body] = records.all('public_bodies');
  await one.remove();
  await records.write([{ op: 'remove', resource: 'public_bodies', id: body!.id }]);
  await other.sync();
  expect(danglingOf(records)).toEqual([]);
  expect(bodiesOfMeetings()).toEqual({ 2: 'example-county-commissioners-court' });
  expect(records.all('sources')).toHaveLength(1);
  expect((await other.sync()).appended).toBe(0);
});

test('a body of the catalogue is shared and not changed', async () => {
  await records.write(catalogueRecords());
  const ellis = { slug: 'ellis-county', name: 'Ellis County', timezone: 'America/Chicago' };
  const source = testSource(records, 'ellis', {}, ellis);
  source.events = [event(1)];
  const count = records.all('public_bodies').length;
  await source.sync();
  expect(records.all('public_bodies')).toHaveLength(count);
  source.bodies = [{ BodyId: 8, BodyName: 'Library Board' }];
  source.events = [event(2, { EventBodyId: 8 })];
  await source.sync();
  await source.remove();
  expect(records.all('public_bodies').filter(({ content }) => content.active)).toHaveLength(count);
});
