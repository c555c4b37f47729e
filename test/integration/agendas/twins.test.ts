import { beforeEach, expect, test } from 'vitest';
import { type AgendaReader, SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import { catalogueRecords } from '../../../src/sources/catalogue/catalogue-records.ts';
import { agendaItemId, meetingId } from '../../../src/sources/agendas/own-records.ts';
import { syncAgendas } from '../../../src/sources/agendas/sync.ts';
import { MemoryRecords } from './memory-records.ts';

const CLIENT = 'fortworthgov';
const DAY_MS = 86_400_000;
const clock = { now: () => Date.parse('2026-03-01T12:00:00Z'), sleep: async () => undefined };
const REASON = 'is the same meeting as event 1';

type Row = Record<string, unknown>;
const event = (EventId: number, fields: Row = {}): Row => ({
  EventId,
  EventBodyId: 7,
  EventBodyName: 'City Council',
  EventDate: '2026-03-10T00:00:00',
  EventTime: '6:00 PM',
  EventAgendaStatusName: 'Final',
  EventAgendaFile: `https://site.example.org/agenda/${EventId}.pdf`,
  EventInSiteURL: `https://site.example.org/MeetingDetail.aspx?ID=${EventId}`,
  ...fields,
});
const item = (EventItemId: number, EventItemTitle: string): Row => ({
  EventItemId,
  EventItemTitle,
  EventItemAgendaSequence: EventItemId % 100,
  EventItemMatterFile: `26-${EventItemId % 100}`,
});

let events: Row[];
let items: Map<number, Row[]>;
let records: MemoryRecords;
let unreadable: Set<number>;

const reader: AgendaReader = {
  platform: { sourceType: 'legistar', label: 'Legistar' },
  bodies: async () => [{ BodyId: 7, BodyName: 'City Council' }],
  events: async () => events,
  event: async () => null,
  eventItems: async (eventId) => {
    if (unreadable.has(eventId)) throw new SourceUnavailable('status 500');
    return items.get(eventId) ?? [];
  },
};
const sync = () => syncAgendas(reader, { client: CLIENT, options: {} }, { writer: records, known: records, clock });

/** Meetings by the id of their event, with the ids of their items at the source. */
const published = () =>
  Object.fromEntries(
    records.all('meetings').map(({ id, content }) => [
      content.sourceRecordId,
      records
        .all('agenda_items')
        .filter((each) => each.content.meetingId === id)
        .map((each) => Number(each.content.sourceRecordId)),
    ]),
  );
const files = () => records.all('documents').map(({ content }) => [content.title, content.url]);

beforeEach(async () => {
  events = [event(1), event(2)];
  items = new Map([
    [1, [item(101, 'Approval of a lease'), item(102, 'Rules for parks')]],
    [2, [item(201, 'Contrato de arrendamiento'), item(202, 'Reglas de los parques')]],
  ]);
  records = new MemoryRecords();
  unreadable = new Set();
  await records.write(catalogueRecords());
});

test('a meeting that is entered twice is published once, with the files of both', async () => {
  const report = await sync();
  expect(published()).toEqual({ 1: [101, 102] });
  expect(report.skipped).toContainEqual({ what: 'event', id: '2', reason: REASON, isIntended: true });
  expect(files()).toEqual([
    ['City Council agenda, 2026-03-10', 'https://site.example.org/agenda/1.pdf'],
    ['City Council agenda, 2026-03-10 (event 2)', 'https://site.example.org/agenda/2.pdf'],
  ]);
  expect((await sync()).appended).toBe(0);
});

test('records that an earlier version published of a twin are withdrawn', async () => {
  events = [event(1), event(2, { EventTime: '7:00 PM' })];
  await sync();
  expect(published()).toEqual({ 1: [101, 102], 2: [201, 202] });
  // Earlier versions published both.
  const time = records.one('meetings', 'sourceRecordId', '1').startsAt;
  const id = meetingId(CLIENT, 2);
  const content = { ...records.records.get(id)!.content, startsAt: time };
  await records.write([{ op: 'upsert', resource: 'meetings', id, content }]);
  events = [event(1), event(2)];
  records.log.length = 0;
  await sync();
  expect(published()).toEqual({ 1: [101, 102] });
  expect(new Set(records.log.filter(({ op }) => op === 'remove').map(({ reason }) => reason))).toEqual(
    new Set([`event 2 ${REASON}`]),
  );
  expect((await sync()).appended).toBe(0);
});

test('a published meeting without an agenda stays, with the items of the twin that has one', async () => {
  items.delete(1);
  events = [event(1, { EventAgendaFile: null })];
  await sync();
  events.push(event(2));
  await sync();
  expect(published()).toEqual({ 1: [201, 202] });
  expect(records.one('agendas', 'meetingId', meetingId(CLIENT, 1)).itemCount).toBe(2);
  expect(files()).toEqual([['City Council agenda, 2026-03-10', 'https://site.example.org/agenda/2.pdf']]);
  expect((await sync()).appended).toBe(0);
  // The twin moves to another hour: its items go with it.
  events[1]!.EventTime = '8:00 PM';
  await sync();
  expect(published()).toEqual({ 1: [], 2: [201, 202] });
  expect(records.all('agendas').map(({ content }) => content.meetingId)).toEqual([meetingId(CLIENT, 2)]);
  expect((await sync()).appended).toBe(0);
});

test('the join ends when the twin disappears', async () => {
  await sync();
  events.pop();
  await sync();
  expect(published()).toEqual({ 1: [101, 102] });
  expect(files()).toHaveLength(1);
});

test('the other event becomes the meeting once the published one is gone', async () => {
  await sync();
  events.shift();
  await sync();
  expect(published()).toEqual({ 2: [201, 202] });
  expect((await sync()).appended).toBe(0);
});

test('two meetings at one time with other items, or one of them cancelled, are both published', async () => {
  items.set(2, [item(255, 'Interview of a candidate')]);
  await sync();
  expect(published()).toEqual({ 1: [101, 102], 2: [255] });
  items.set(2, []);
  events[1] = event(2, { EventComment: 'CANCELLED' });
  await sync();
  expect(published()).toEqual({ 1: [101, 102], 2: [] });
});

test('while the meeting cannot be read, its twin is not published, and what is published stays', async () => {
  await sync();
  const before = new Map(records.records);
  unreadable.add(1);
  const report = await sync();
  expect(report).toMatchObject({ failedEvents: 1 });
  const notSources = (from: ReadonlyMap<string, { readonly resource: string }>) =>
    [...from].filter(([, each]) => each.resource !== 'sources');
  expect(notSources(records.records)).toEqual(notSources(before));
  unreadable = new Set([2]);
  await sync();
  expect(notSources(records.records)).toEqual(notSources(before));
});

test('a poll of a large list reads the twin of an event that it reads, and no old twins', async () => {
  const read: number[] = [];
  const old = Array.from({ length: 600 }, (_, n) =>
    event(1000 + n, { EventDate: '2020-01-01T00:00:00', EventTime: null }),
  );
  const stamped = (row: Row, days: number): Row => ({
    ...row,
    EventLastModifiedUtc: new Date(clock.now() - days * DAY_MS).toISOString().slice(0, -1),
  });
  const pair = (day: string) =>
    [event(1, { EventDate: day }), event(2, { EventDate: day })].map((row) => stamped(row, 100));
  events = [...old.map((row) => stamped(row, 100)), ...pair('2025-03-10T00:00:00')];
  const poll = () => {
    read.length = 0;
    const eventItems = async (eventId: number) => {
      read.push(eventId);
      return reader.eventItems(eventId);
    };
    return syncAgendas(
      { ...reader, eventItems },
      { client: CLIENT, options: {} },
      { writer: records, known: records, clock },
    );
  };
  await poll();
  expect(records.records.has(agendaItemId(CLIENT, 101))).toBe(true);
  await poll();
  expect(read).toEqual([]);
  events[600] = stamped(events[600]!, 1);
  await poll();
  expect(read.toSorted((left, right) => left - right)).toEqual([1, 2]);
  expect(published()).toMatchObject({ 1: [101, 102] });
  expect(published()).not.toHaveProperty('2');
});
