import { beforeEach, describe, expect, test } from 'vitest';
import { catalogueBodyId, catalogueRecords } from '../../../src/sources/catalogue/catalogue-records.ts';
import { MemoryRecords } from './memory-records.ts';
import { copyOf, danglingOf, event, item, type TestSource, testSource } from './two-sources.ts';

const RECORDINGS = { label: 'Swagit', isSecondary: true, isUnstamped: true, listsNoBodies: true } as const;

/** Lists agendas before meetings. */
let agendas: TestSource;
/** Lists recordings after meetings. */
let recordings: TestSource;
let records: MemoryRecords;

const recording = (EventId: number, fields: Record<string, unknown> = {}) =>
  event(EventId, {
    EventTime: null,
    EventInSiteURL: `https://video.example.org/videos/${EventId}`,
    EventVideoStatus: 'Public',
    EventVideoPath: 'yes',
    ...fields,
  });

beforeEach(() => {
  records = new MemoryRecords();
  agendas = testSource(records, 'agendas');
  recordings = testSource(records, 'recordings', RECORDINGS);
  agendas.events = [event(1, { EventAgendaFile: 'https://site.example.org/agenda/1.pdf' })];
  recordings.events = [recording(501)];
  recordings.items.set(501, [item(50101, 'Approval of a lease'), item(50102, 'Burn ban')]);
});

/** Addresses of meetings, with their documents and the titles of their items. */
const meetings = () =>
  Object.fromEntries(
    records.all('meetings').map(({ id, content }) => {
      const ofMeeting = (resource: 'documents' | 'agenda_items') =>
        records.all(resource).filter((each) => each.content.meetingId === id);
      return [
        String(content.sourceUrl).split('/').at(-1),
        [
          ofMeeting('documents').map((each) => String(each.content.url).split('/').slice(-2).join('/')),
          ofMeeting('agenda_items').map((each) => each.content.title),
        ],
      ];
    }),
  );
const ITEMS = ['Approval of a lease', 'Burn ban'];
const JOINED = { 1: [['agenda/1.pdf', 'videos/501'], ITEMS] };
const APART = { 1: [['agenda/1.pdf'], []], 501: [[], ITEMS] };

/** Both sources change nothing any more, and no record refers to a missing one. */
async function expectSettled() {
  for (const source of [agendas, recordings]) expect((await source.sync()).appended).toBe(0);
  expect(danglingOf(records)).toEqual([]);
}

describe('an event that is a meeting of another source', () => {
  test('adds its address and its items to that meeting', async () => {
    await agendas.sync();
    const report = await recordings.sync();
    expect(meetings()).toEqual(JOINED);
    expect(records.one('documents', 'kind', 'other').title).toBe(
      'Commissioners Court recording, 2026-09-15 (event 501)',
    );
    expect(report.skipped).toEqual([
      { what: 'event', id: '501', reason: 'is a meeting of another source of the body', isIntended: true },
    ]);
    expect(report.degraded).toEqual([]);
    await expectSettled();
  });

  test('gives up its own meeting where the other source came later', async () => {
    await recordings.sync();
    expect(meetings()).toEqual({ 501: [[], ITEMS] });
    await agendas.sync();
    expect(meetings()).toEqual(APART);
    await recordings.sync();
    expect(meetings()).toEqual(JOINED);
    await expectSettled();
  });

  test('is joined by the next syncs where both first ones ran at the same time', async () => {
    records.time = '2026-09-20T11:59:00.000Z';
    const before = copyOf(records);
    await agendas.sync(before);
    records.time = '2026-09-20T11:59:01.000Z';
    await recordings.sync(before);
    expect(records.all('public_bodies')).toHaveLength(2);
    await recordings.sync();
    await agendas.sync();
    expect(records.all('public_bodies')).toHaveLength(1);
    expect(meetings()).toEqual(JOINED);
    await expectSettled();
  });

  test('leaves its items out where the meeting states items, also later', async () => {
    await agendas.sync();
    await recordings.sync();
    agendas.items.set(1, [item(101, 'A lease')]);
    await agendas.sync();
    await recordings.sync();
    expect(meetings()).toEqual({ 1: [['agenda/1.pdf', 'videos/501'], ['A lease']] });
    recordings.reads.length = 0;
    await expectSettled();
    expect(recordings.reads).toEqual([]);
    agendas.items.delete(1);
    await agendas.sync();
    await recordings.sync();
    expect(meetings()).toEqual(JOINED);
    await expectSettled();
  });

  test('is a meeting of its own again once the other source lacks it, moves it or calls it off', async () => {
    await agendas.sync();
    await recordings.sync();
    for (const fields of [{ EventTime: '1:30 PM' }, { EventTime: '9:00 AM', EventComment: 'Meeting canceled' }]) {
      recordings.events = [recording(501, { EventTime: '9:00 AM' })];
      agendas.events = [event(1, { EventAgendaFile: 'https://site.example.org/agenda/1.pdf' })];
      await agendas.sync();
      await recordings.sync();
      expect(meetings()).toEqual(JOINED);
      Object.assign(agendas.events[0]!, fields);
      await agendas.sync();
      await recordings.sync();
      expect(meetings()).toEqual(APART);
      await expectSettled();
    }
    Object.assign(agendas.events[0]!, { EventComment: null });
    await agendas.sync();
    await recordings.sync();
    expect(meetings()).toEqual(JOINED);
    agendas.events = [event(2, { EventDate: '2026-10-06T00:00:00' })];
    await agendas.sync();
    expect(danglingOf(records)).toEqual([]);
    await recordings.sync();
    expect(meetings()).toEqual({ 2: [[], []], 501: [[], ITEMS] });
    await expectSettled();
  });

  test('stays apart where two meetings of a day might be it', async () => {
    agendas.events.push(event(2, { EventTime: '1:30 PM' }));
    await agendas.sync();
    await recordings.sync();
    expect(Object.keys(meetings())).toEqual(['1', '2', '501']);
    recordings.events = [recording(501, { EventTime: '1:35 PM' })];
    await recordings.sync();
    expect(meetings()).toEqual({ 1: [['agenda/1.pdf'], []], 2: [['videos/501'], ITEMS] });
    await expectSettled();
  });

  test('stays joined when a third source publishes another body of the same name', async () => {
    await agendas.sync();
    await recordings.sync();
    const third = testSource(records, 'third');
    third.bodies.push({ BodyId: 8, BodyName: 'Commissioners Court' });
    third.events = [event(301, { EventDate: '2026-09-01T00:00:00' })];
    await third.sync();
    expect(records.all('public_bodies')).toHaveLength(3);
    await expectSettled();
  });

  test('takes its recording and items along to another body', async () => {
    await agendas.sync();
    recordings.bodies.push({ BodyId: 8, BodyName: 'Library Board' });
    await recordings.sync();
    recordings.events = [recording(501, { EventBodyId: 8 })];
    recordings.now += 90 * 86_400_000;
    await recordings.sync();
    expect(meetings()).toEqual(APART);
    await expectSettled();
  });

  test('stays joined when the list begins after it', async () => {
    await agendas.sync();
    recordings.events.push(recording(502, { EventDate: '2026-09-19T00:00:00' }));
    await recordings.sync();
    recordings.events.shift();
    recordings.listedFrom = '2026-09-16';
    await recordings.sync();
    expect(meetings()).toEqual({ ...JOINED, 502: [[], []] });
    await expectSettled();
  });

  test('takes its recording and items along when it disappears', async () => {
    await agendas.sync();
    recordings.events.push(recording(502, { EventDate: '2026-09-08T00:00:00' }));
    await recordings.sync();
    recordings.events.shift();
    await recordings.sync();
    expect(meetings()).toEqual({ 1: [['agenda/1.pdf'], []], 502: [[], []] });
    await expectSettled();
  });

  test('stays joined where the list came back without it once', async () => {
    await agendas.sync();
    await recordings.sync();
    const [listed] = recordings.events;
    recordings.events = [];
    expect((await recordings.sync()).failure).toMatch(/is empty although/);
    expect(meetings()).toEqual(JOINED);
    recordings.events = [listed!];
    await expectSettled();
  });

  test('is not read again at every poll once it is old', async () => {
    await agendas.sync();
    await recordings.sync();
    recordings.now += 90 * 86_400_000;
    agendas.now = recordings.now;
    recordings.reads.length = 0;
    await recordings.sync();
    expect(recordings.reads).toEqual([]);
    agendas.items.set(1, [item(101, 'A lease')]);
    await agendas.sync();
    await recordings.sync();
    expect(recordings.reads).toEqual([501]);
    expect(meetings()).toEqual({ 1: [['agenda/1.pdf', 'videos/501'], ['A lease']] });
    await agendas.remove();
    await recordings.sync();
    expect(meetings()).toEqual({ 501: [[], ITEMS] });
    expect(danglingOf(records)).toEqual([]);
  });
});

test('removing the secondary source leaves what the other one states', async () => {
  await agendas.sync();
  const before = new Map(records.records);
  await recordings.sync();
  await recordings.remove();
  expect(records.records).toEqual(before);
});

test('removing the other source leaves nothing of its meeting, and the next sync publishes the own meeting', async () => {
  await agendas.sync();
  await recordings.sync();
  await agendas.remove();
  expect(danglingOf(records)).toEqual([]);
  await recordings.sync();
  expect(meetings()).toEqual({ 501: [[], ITEMS] });
  expect((await recordings.sync()).appended).toBe(0);
  await recordings.remove();
  expect(records.records.size).toBe(0);
});

test('both sources removed one after the other leave nothing', async () => {
  await agendas.sync();
  await recordings.sync();
  await agendas.remove();
  await recordings.remove();
  expect(records.records.size).toBe(0);
});

test('two sources of recordings keep their meetings', async () => {
  const copy = testSource(records, 'copy', RECORDINGS);
  copy.events = [recording(601)];
  for (const source of [recordings, copy, recordings]) await source.sync();
  expect(Object.keys(meetings())).toEqual(['501', '601']);
});

describe('a second source of agendas', () => {
  const SAME_DAY = { EventMinutesFile: 'https://other.example.org/minutes/9.pdf' };
  let other: TestSource;

  beforeEach(async () => {
    other = testSource(records, 'other', { label: 'Other platform' });
    other.events = [event(9, SAME_DAY)];
    await agendas.sync();
    records.time = '2026-09-20T12:00:01.000Z';
    await other.sync();
  });

  test('adds its address and its minutes to the meeting of the first one, and items where that states none', async () => {
    const address = ['agenda/1.pdf', 'meetings/9', 'minutes/9.pdf'];
    expect(meetings()).toEqual({ 1: [address, []] });
    expect(records.one('documents', 'kind', 'other').title).toBe(
      'Commissioners Court on Other platform, 2026-09-15 (event 9)',
    );
    other.items.set(9, [item(901, 'A lease')]);
    await other.sync();
    expect(meetings()).toEqual({ 1: [address, ['A lease']] });
    for (const source of [agendas, other]) expect((await source.sync()).appended).toBe(0);
    agendas.items.set(1, [item(101, 'A lease of land')]);
    for (const source of [agendas, other]) await source.sync();
    expect(meetings()).toEqual({ 1: [address, ['A lease of land']] });
    expect(danglingOf(records)).toEqual([]);
  });

  test('keeps what might be another meeting, and joins it once that is certain', async () => {
    other.events = [event(9, SAME_DAY), event(10, { EventTime: '1:30 PM' })];
    await other.sync();
    expect(Object.keys(meetings())).toEqual(['1', '10']);
    other.events = [event(9, { ...SAME_DAY, EventTime: null }), event(10, { EventTime: null })];
    await other.sync();
    expect(Object.keys(meetings()).toSorted()).toEqual(['1', '10', '9']);
    other.events = [event(9, SAME_DAY)];
    await other.sync();
    expect(Object.keys(meetings())).toEqual(['1']);
    expect(danglingOf(records)).toEqual([]);
  });

  test('publishes its own meeting once the first one is removed, and leaves nothing when it is removed', async () => {
    await recordings.sync();
    expect(Object.keys(meetings())).toEqual(['1']);
    await agendas.remove();
    expect(danglingOf(records)).toEqual([]);
    for (const source of [other, recordings]) await source.sync();
    expect(meetings()).toEqual({ 9: [['minutes/9.pdf', 'videos/501'], ITEMS] });
    records.time = '2026-09-20T12:00:02.000Z';
    for (const source of [agendas, other, recordings, agendas]) await source.sync();
    // The source that was added again is the younger one.
    expect(meetings()).toEqual({ 9: [['minutes/9.pdf', 'videos/501', 'meetings/1'], ITEMS] });
    for (const source of [other, recordings, agendas]) await source.remove();
    expect(records.records.size).toBe(0);
  });
});

test('recordings of a body of the catalogue are joined to the meetings of its shipped client', async () => {
  await records.write(catalogueRecords());
  const catalogue = new Map(records.records);
  const place = { slug: 'fort-worth', name: 'Fort Worth', timezone: 'America/Chicago' };
  const shipped = testSource(records, 'fortworthgov', { label: 'Legistar' }, place);
  const videos = testSource(records, 'videos', RECORDINGS, place);
  for (const source of [shipped, videos]) source.bodies = [{ BodyId: 7, BodyName: 'City Council' }];
  shipped.events = [event(1)];
  videos.events = [recording(501)];
  for (const source of [videos, shipped, videos]) await source.sync();
  expect(Object.keys(meetings())).toEqual(['1']);
  expect(records.all('meetings').map(({ content }) => content.publicBodyId)).toEqual([
    catalogueBodyId('fort-worth', 'city-council'),
  ]);
  for (const source of [shipped, videos]) expect((await source.sync()).appended).toBe(0);
  await shipped.remove();
  expect(danglingOf(records)).toEqual([]);
  await videos.remove();
  expect(new Set(records.records.keys()).difference(catalogue)).toEqual(new Set());
});
