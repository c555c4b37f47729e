import { legistarPlatform } from '../../../infra/legistar/platform.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { type AgendaReader, SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import { catalogueRecords } from '../../../src/sources/catalogue/catalogue-records.ts';
import { syncAgendas } from '../../../src/sources/agendas/sync.ts';
import { MemoryRecords } from './memory-records.ts';
import { readRecording, type Recording } from './replay-server.ts';

const CLIENT = 'fortworthgov';
const clock = { now: () => Date.parse('2026-04-20T12:00:00Z'), sleep: async () => undefined };

let recording: Recording;
let records: MemoryRecords;
/** The events whose items the source refuses. */
let refused: Set<number>;

const reader: AgendaReader = {
  platform: legistarPlatform('fortworthgov'),
  bodies: async () => recording.bodies,
  events: async () => recording.events,
  event: async () => null,
  eventItems: async (eventId) => {
    if (refused.has(eventId)) throw new SourceUnavailable('agenda status not viewable by the public');
    return recording.items.get(eventId) ?? [];
  },
};
const sync = () => syncAgendas(reader, { client: CLIENT, options: {} }, { writer: records, known: records, clock });
const eventOf = (id: number) => recording.events.find(({ EventId }) => EventId === id)!;
const publishedOf = (resource: 'meetings' | 'agenda_items' | 'documents' | 'agendas') => records.all(resource).length;

beforeEach(async () => {
  recording = await readRecording(CLIENT);
  records = new MemoryRecords();
  refused = new Set();
  await records.write(catalogueRecords());
});

describe('an agenda that becomes a draft', () => {
  const unpublish = () =>
    Object.assign(eventOf(9001), { EventAgendaStatusName: 'Draft', EventAgendaLastPublishedUTC: null });

  it('leaves the meeting, and its items, documents and agenda are withdrawn', async () => {
    await sync();
    unpublish();
    refused.add(9001);
    records.log.length = 0;
    const report = await sync();
    expect(report).toMatchObject({ failedEvents: 0, rejected: [] });
    expect(report.skipped).toContainEqual({
      what: 'event',
      id: '9001',
      reason: 'the source has not published its agenda',
      isIntended: true,
    });
    const removed = records.log.filter(({ op }) => op === 'remove');
    expect(new Set(removed.map(({ reason }) => reason))).toEqual(
      new Set(['the source has not published the agenda of event 9001']),
    );
    expect(new Set(removed.map(({ resource }) => resource))).toEqual(new Set(['agenda_items', 'documents', 'agendas']));
    expect(records.one('meetings', 'sourceRecordId', '9001')).toMatchObject({ status: 'scheduled' });
    expect((await sync()).appended).toBe(0);
  });

  it('gives the same records as before once it is published again', async () => {
    await sync();
    const before = new Map(records.records);
    const { EventAgendaLastPublishedUTC } = eventOf(9001);
    unpublish();
    await sync();
    Object.assign(eventOf(9001), { EventAgendaStatusName: 'Final', EventAgendaLastPublishedUTC });
    await sync();
    expect(records.records).toEqual(before);
  });
});

describe('an event that is not public', () => {
  it('is never published, and one that was is withdrawn with its items', async () => {
    await sync();
    const meetings = publishedOf('meetings');
    eventOf(9001).EventAgendaStatusName = 'Not Viewable by the Public';
    refused.add(9001);
    const report = await sync();
    expect(report).toMatchObject({ failedEvents: 0 });
    expect(report.skipped.find(({ id }) => id === '9001')).toMatchObject({ isIntended: true });
    expect(publishedOf('meetings')).toBe(meetings - 1);
    const fresh = new MemoryRecords();
    await fresh.write(catalogueRecords());
    records = fresh;
    await sync();
    expect(JSON.stringify([...fresh.records.values()])).not.toContain('"9001"');
  });
});

describe('an event without an address', () => {
  it('has the calendar of its client as its address, and keeps one that it had', async () => {
    for (const event of recording.events) event.EventInSiteURL = null;
    const { degraded } = await sync();
    expect(records.one('meetings', 'sourceRecordId', '9001').sourceUrl).toBe(
      'https://fortworthgov.legistar.com/Calendar.aspx',
    );
    const reason = 'has no usable public address; the meeting keeps another link';
    expect(degraded).toContainEqual(expect.objectContaining({ what: 'event', id: '9001', reason }));
    eventOf(9001).EventInSiteURL = 'https://site.example.org/MeetingDetail.aspx?ID=9001';
    await sync();
    Object.assign(eventOf(9001), { EventInSiteURL: null, EventComment: 'CANCELED' });
    await sync();
    expect(records.one('meetings', 'sourceRecordId', '9001')).toMatchObject({
      sourceUrl: 'https://site.example.org/MeetingDetail.aspx?ID=9001',
      status: 'cancelled',
    });
  });
});

describe('a matter that is listed twice', () => {
  it('is two items, and the first of them keeps its id', async () => {
    const hearing = {
      EventItemId: 1,
      EventItemAgendaSequence: 1,
      EventItemTitle: 'Hearing on the rule',
      EventItemMatterFile: '26-1',
    };
    recording.items.set(9001, [hearing]);
    await sync();
    const first = records.all('agenda_items').find(({ content }) => content.sourceRecordId === '1');
    recording.items.set(9001, [
      hearing,
      { ...hearing, EventItemId: 2, EventItemAgendaSequence: 5, EventItemTitle: 'Adopt the rule' },
    ]);
    await sync();
    const items = records.all('agenda_items').filter(({ content }) => content.matterFile === '26-1');
    expect(items.map(({ content }) => content.title)).toEqual(['Hearing on the rule', 'Adopt the rule']);
    expect(items[0]!.id).toBe(first!.id);
  });
});
