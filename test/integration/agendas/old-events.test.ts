import { afterEach, beforeEach, expect, test } from 'vitest';
import { legistarHttpReader } from '../../../infra/legistar/http-client.ts';
import { catalogueRecords } from '../../../src/sources/catalogue/catalogue-records.ts';
import { READ_ALL_UP_TO } from '../../../src/sources/agendas/poll-window.ts';
import { READING_VERSION } from '../../../src/sources/agendas/reading-version.ts';
import { syncAgendas } from '../../../src/sources/agendas/sync.ts';
import { MemoryRecords } from './memory-records.ts';
import { type Recording, startReplayServer, status } from './replay-server.ts';

const CLIENT = 'examplecity';
const NOW = Date.parse('2026-04-20T12:00:00Z');
const EVENTS = READ_ALL_UP_TO + 20;
/** One event belongs to another body. */
const EVENTS_OF_COUNCIL = EVENTS - 1;

let recording: Recording;
let server: Awaited<ReturnType<typeof startReplayServer>>;
let records: MemoryRecords;
const clock = { now: () => NOW, sleep: async () => undefined };

const item = {
  EventItemId: 1,
  EventItemAgendaSequence: 1,
  EventItemTitle: 'Adopt an ordinance',
  EventItemMatterFile: 'O-1',
};

/** Every event took place a year ago, and its row has an old stamp. */
const event = (EventId: number): Record<string, unknown> => ({
  EventId,
  EventBodyId: 1,
  EventBodyName: 'Council',
  EventDate: '2025-04-15T00:00:00',
  EventTime: '6:00 PM',
  EventLastModifiedUtc: '2025-04-16T00:00:00',
  EventAgendaStatusName: 'Final',
  EventAgendaLastPublishedUTC: '2025-04-10T00:00:00',
  EventInSiteURL: `https://${CLIENT}.legistar.com/MeetingDetail.aspx?ID=${EventId}`,
});

beforeEach(async () => {
  const events = Array.from({ length: EVENTS }, (_, n) => event(n + 1));
  // The list of bodies lacks it.
  Object.assign(events.at(-1)!, { EventBodyId: 9, EventBodyName: 'Former Board' });
  const items = new Map(events.map(({ EventId }) => [EventId as number, [{ ...item, EventItemId: EventId }]]));
  recording = { bodies: [{ BodyId: 1, BodyName: 'Council' }], events, items, votes: new Map() };
  server = await startReplayServer(CLIENT, recording);
  records = new MemoryRecords();
  await records.write(catalogueRecords());
});
afterEach(() => server.close());

/** Syncs and returns the ids of the events whose items were requested. */
async function readBy(since?: string): Promise<readonly number[]> {
  server.requests.length = 0;
  const reader = legistarHttpReader({ baseUrl: server.baseUrl, client: CLIENT, clock, random: () => 0 });
  const request = { client: CLIENT, options: { jurisdiction: 'addison', since } };
  const report = await syncAgendas(reader, request, { writer: records, known: records, clock });
  expect(report).toMatchObject({ failure: null, rejected: [] });
  const ids = server.requests.map((path) => Number(/events\/(\d+)\/eventitems/.exec(path)?.[1] ?? 0));
  return ids.filter((id) => id > 0).toSorted((left, right) => left - right);
}

const sourceRecord = () =>
  records.all('sources').find(({ content }) => content.status === 'healthy' || content.status === 'failing')!;
const meeting = (id: number) => records.one('meetings', 'sourceRecordId', String(id));

test('a poll reads an old event again whose row states minutes, a recording, an outcome or another file, and no other', async () => {
  expect(await readBy()).toHaveLength(EVENTS);
  expect(await readBy()).toEqual([]);
  const file = (name: string) => `https://${CLIENT}.example.org/${name}.pdf`;
  Object.assign(recording.events[0]!, { EventMinutesFile: file('minutes') });
  Object.assign(recording.events[1]!, { EventVideoStatus: 'Public', EventMedia: '77' });
  Object.assign(recording.events[2]!, { EventMinutesStatusName: 'Final' });
  recording.items.set(3, [
    { ...item, EventItemId: 3, EventItemActionName: 'Approved', EventItemPassedFlagName: 'Pass' },
  ]);
  Object.assign(recording.events[3]!, { EventAgendaStatusName: 'Cancelled' });
  Object.assign(recording.events[4]!, { EventAgendaFile: file('agenda') });
  expect(await readBy()).toEqual([1, 2, 3, 4, 5]);
  expect([1, 2, 3, 4, 5].map((id) => meeting(id).status)).toEqual([
    'scheduled',
    'held',
    'held',
    'cancelled',
    'scheduled',
  ]);
  expect(records.one('agenda_items', 'sourceRecordId', '3')).toMatchObject({ outcome: 'approved' });
  expect(records.all('documents').map(({ content }) => content.url)).toEqual(
    expect.arrayContaining([file('minutes'), file('agenda')]),
  );
  expect(await readBy()).toEqual([]);
  Object.assign(recording.events[0]!, { EventMinutesFile: file('revised') });
  expect(await readBy()).toEqual([1]);
  expect(records.all('documents').map(({ content }) => content.url)).toContain(file('revised'));
});

test('an old meeting that its items alone call off is not read at every poll', async () => {
  recording.items.set(1, [{ ...item, EventItemTitle: 'MEETING CANCELLED' }]);
  await readBy();
  expect(meeting(1).status).toBe('cancelled');
  expect(await readBy()).toEqual([]);
  Object.assign(recording.events[0]!, { EventMinutesStatusName: 'Final' });
  expect(await readBy()).toEqual([]);
});

test('a source that was last read under other rules is read as a whole, once', async () => {
  await readBy();
  expect(sourceRecord().content).toMatchObject({ status: 'healthy', readingVersion: READING_VERSION });
  for (const readingVersion of [READING_VERSION + 1, undefined]) {
    const { id, content } = sourceRecord();
    await records.write([{ op: 'upsert', resource: 'sources', id, content: { ...content, readingVersion } }]);
    expect(await readBy()).toHaveLength(EVENTS_OF_COUNCIL);
    expect(sourceRecord().content.readingVersion).toBe(READING_VERSION);
    expect(await readBy()).toEqual([]);
  }
});

test('a read that failed in part, or of a part, does not count as one under the new rules', async () => {
  await readBy();
  const { id, content } = sourceRecord();
  await records.write([{ op: 'upsert', resource: 'sources', id, content: { ...content, readingVersion: undefined } }]);
  server.faultsByPath.set(`/v1/${CLIENT}/events/7/eventitems`, status(403));
  expect(await readBy()).toHaveLength(EVENTS_OF_COUNCIL);
  expect(sourceRecord().content.readingVersion).toBeUndefined();
  server.faultsByPath.clear();
  expect(await readBy('2025-01-01')).toHaveLength(EVENTS);
  expect(sourceRecord().content.readingVersion).toBeUndefined();
  expect(await readBy()).toHaveLength(EVENTS_OF_COUNCIL);
  expect(sourceRecord().content.readingVersion).toBe(READING_VERSION);
});
