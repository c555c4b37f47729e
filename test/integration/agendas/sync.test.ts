import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legistarFolderReader } from '../../../infra/legistar/folder-client.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import { catalogueRecords, catalogueSourceId } from '../../../src/sources/catalogue/catalogue-records.ts';
import { syncAgendas } from '../../../src/sources/agendas/sync.ts';
import { MemoryRecords } from './memory-records.ts';
import { cutBody, FIXTURES, halfJson, hang, status } from './replay-server.ts';
import { CLIENT, serveClient, type ServedClient } from './served-client.ts';

let served: ServedClient;
let { recording, server, records, clock } = {} as ServedClient;

beforeEach(async () => {
  served = await serveClient();
  ({ recording, server, records, clock } = served);
});

afterEach(() => server.close());

describe('a first sync', () => {
  it('publishes readable records and reports the others', async () => {
    const report = await served.sync();
    expect(report).toMatchObject({
      read: { bodies: 2, events: 6, items: 9 },
      removed: 0,
      rejected: [],
      sourcesChecked: 2,
      failedEvents: 0,
      failure: null,
    });
    expect(report.skipped.map(({ what, id, reason }) => `${what} ${id}: ${reason}`).toSorted()).toEqual([
      'item 90022: is a layout mark, such as a page break',
      'item 90032: has no sequence: it is not on the agenda',
      'item 90033: has no title: it is not on the agenda',
    ]);
    expect(report.degraded).toMatchObject([{ what: 'event', id: '9004', reason: 'states no time' }]);
    const counts = ['meetings', 'agendas', 'agenda_items', 'documents'] as const;
    expect(counts.map((resource) => records.all(resource).length)).toEqual([6, 4, 6, 4]);
    expect(report.appended).toBe(1 + 1 + 6 + 4 + 6 + 4);
  });

  it('gives each meeting the status of the source, and cancels no other', async () => {
    await served.sync();
    const statuses = records.all('meetings').map(({ content }) => [content.sourceRecordId, content.status] as const);
    expect(Object.fromEntries(statuses)).toEqual({
      9001: 'scheduled',
      9002: 'cancelled',
      9003: 'scheduled',
      9004: 'scheduled',
      9005: 'cancelled',
      9006: 'held',
    });
  });

  it('gives the same result from recorded answers in a folder', async () => {
    await served.sync();
    const recorded = new MemoryRecords();
    await recorded.write(catalogueRecords());
    const folder = legistarFolderReader({ directory: fileURLToPath(FIXTURES), client: CLIENT });
    await syncAgendas(folder, { client: CLIENT, options: {} }, { writer: recorded, known: recorded, clock });
    const withoutSources = (from: MemoryRecords) =>
      new Map([...from.records].filter(([, record]) => record.resource !== 'sources'));
    expect(withoutSources(recorded)).toEqual(withoutSources(records));
  });

  it('adopts the source in the catalogue and records its check once', async () => {
    await served.sync();
    const sources = records.all('sources').filter(({ content }) => content.status === 'healthy');
    expect(sources.map(({ content }) => content.officialSourceUrl)).toEqual([
      'https://fortworthgov.legistar.com/Calendar.aspx',
      'https://example.legistar.example.org/',
    ]);
    const ofCatalogue = catalogueSourceId('fort-worth', 'city-council');
    expect(records.log.filter(({ id }) => id === ofCatalogue)).toHaveLength(1);
    expect(records.all('sources')).toHaveLength(8);
  });
});

describe('a start time that becomes unreadable', () => {
  it.each([
    ['Immediately following the workshop', 'states no time that can be read ("Immediately following the workshop")'],
    ['TBD', 'states no time that can be read ("TBD")'],
    [null, 'states no time'],
  ])('%j changes the meeting, which counts as degraded', async (EventTime, reason) => {
    await served.sync();
    const [event] = recording.events;
    const before = records.one('meetings', 'sourceRecordId', String(event!.EventId));
    expect(before.startTime).toMatchObject({ status: 'stated' });
    event!.EventTime = EventTime;
    expect(await served.sync()).toMatchObject({
      appended: 1,
      degraded: expect.arrayContaining([
        expect.objectContaining({ what: 'event', id: String(event!.EventId), reason }),
      ]) as unknown,
    });
    const after = records.one('meetings', 'sourceRecordId', String(event!.EventId));
    expect(after.startTime).toEqual({ status: 'not_stated', sourceText: EventTime });
    expect(after.startsAt).not.toBe(before.startsAt);
    expect(await served.sync()).toMatchObject({ appended: 0 });
  });
});

describe('an event on a day that cannot be meant', () => {
  it.each(['0001-01-01T00:00:00', '1900-01-01T00:00:00', '1989-12-31T00:00:00', '2029-04-21T00:00:00'])(
    '%s is skipped and counted, and what is published of it stays',
    async (EventDate) => {
      await served.sync();
      records.log.length = 0;
      recording.events[0]!.EventDate = EventDate;
      const { EventId } = recording.events[0]!;
      const reason = `has an implausible date (${EventDate.slice(0, 10)})`;
      expect(await served.sync()).toMatchObject({
        skipped: expect.arrayContaining([{ what: 'event', id: String(EventId), reason }]) as unknown,
      });
      expect(served.removals()).toEqual([]);
      expect(records.all('meetings')).toHaveLength(6);
      recording.events.shift();
      await served.sync();
      expect(records.all('meetings')).toHaveLength(5);
    },
  );

  it.each(['1990-01-01', '2029-04-20'])('is not %s', async (day) => {
    recording.events[0]!.EventDate = `${day}T00:00:00`;
    await served.sync();
    expect(records.one('meetings', 'sourceRecordId', String(recording.events[0]!.EventId)).startsAt).toContain(
      day.slice(0, 8),
    );
  });
});

describe('a healthy source', () => {
  const healthyNotes = () =>
    Object.fromEntries(
      records
        .all('sources')
        .filter(({ content }) => content.status === 'healthy')
        .map(({ content }) => [
          records.records.get(String(content.publicBodyId))?.content.slug,
          [content.lastCheckSkipped, content.lastCheckSkippedShared, content.lastCheckDegraded],
        ]),
    );

  it('states how many rows its last check skipped, and how many meetings have no start time', async () => {
    await served.sync();
    expect(healthyNotes()).toEqual({
      'city-council': [undefined, undefined, undefined],
      'parks-board': [undefined, undefined, 1],
    });
    recording.events[0]!.EventDate = 'soon';
    recording.events.push({ EventId: 'nonsense' });
    await served.sync();
    expect(healthyNotes()).toEqual({ 'city-council': [2, 1, undefined], 'parks-board': [1, 1, 1] });
    expect(await served.status()).toMatchObject({ skipped: 2, degraded: 1 });
    recording.events.pop();
    recording.events[0]!.EventDate = '2026-03-10T00:00:00';
    recording.events[3]!.EventTime = '6:00 PM';
    await served.sync();
    expect(healthyNotes()).toEqual({
      'city-council': [undefined, undefined, undefined],
      'parks-board': [undefined, undefined, undefined],
    });
  });
});

describe('a second sync', () => {
  it('appends nothing for unchanged data but one check of each source', async () => {
    await served.sync();
    records.log.length = 0;
    clock.slept.length = 0;
    await clock.sleep(60_000);
    const report = await served.sync();
    expect(report).toMatchObject({ appended: 0, removed: 0, sourcesChecked: 2, unchanged: 21 });
    expect(records.log.map((entry) => entry.resource)).toEqual(['sources', 'sources']);
  });

  it('publishes exactly the changes, whatever their time stamps', async () => {
    await served.sync();
    served.retitle('Authorize a contract for better benches');
    const report = await served.sync();
    expect(report.appended).toBe(1);
    expect(records.one('agenda_items', 'sourceRecordId', '90012').title).toBe(
      'Authorize a contract for better benches',
    );
  });

  it('removes a missing item and its documents, with the reason, and counts the agenda again', async () => {
    await served.sync();
    recording.items.get(9001)?.splice(1, 1);
    const report = await served.sync();
    expect(report).toMatchObject({ removed: 3, appended: 4 });
    expect(
      served
        .removals()
        .map((entry) => entry.resource)
        .toSorted(),
    ).toEqual(['agenda_items', 'documents', 'documents']);
    expect(served.removals()[0]?.reason).toBe('event 9001 of the source no longer has it');
    const meeting = records.all('meetings').find(({ content }) => content.sourceRecordId === '9001');
    expect(records.one('agendas', 'meetingId', meeting?.id).itemCount).toBe(1);
  });

  it('keeps an item that moved to another event', async () => {
    await served.sync();
    const [moved] = recording.items.get(9001)?.splice(1, 1) ?? [];
    recording.items.get(9006)?.push(moved);
    expect((await served.sync()).removed).toBe(0);
    const meeting = records.all('meetings').find(({ content }) => content.sourceRecordId === '9006');
    expect(records.one('agenda_items', 'sourceRecordId', '90012').meetingId).toBe(meeting?.id);
  });

  it('removes an event that is missing in the whole list, with all that refers to it', async () => {
    await served.sync();
    recording.events = recording.events.filter((event) => event.EventId !== 9001);
    const report = await served.sync();
    expect(report.removed).toBe(8);
    expect(records.all('meetings').map(({ content }) => content.sourceRecordId)).not.toContain('9001');
    expect(served.removals().find((entry) => entry.resource === 'meetings')?.reason).toBe(
      'the source no longer has event 9001',
    );
  });

  it('removes an event that the source answers with 410', async () => {
    await served.sync();
    recording.events = recording.events.filter((event) => event.EventId !== 9001);
    server.faultsByPath.set(`/v1/${CLIENT}/events/9001`, status(410));
    expect(await served.sync()).toMatchObject({ removed: 8, failedEvents: 0, failure: null });
    expect(records.all('meetings').map(({ content }) => content.sourceRecordId)).not.toContain('9001');
  });

  it('removes the items of a listed event whose items are gone, and all of it once the event is gone too', async () => {
    await served.sync();
    server.faultsByPath.set(`/v1/${CLIENT}/events/9001/eventitems`, status(410));
    expect(await served.sync()).toMatchObject({ removed: 5, failedEvents: 0 });
    expect(records.one('meetings', 'sourceRecordId', '9001')).toBeDefined();
    server.faultsByPath.set(`/v1/${CLIENT}/events/9001`, status(410));
    expect(await served.sync()).toMatchObject({ removed: 3, failedEvents: 0 });
    expect(records.all('meetings').map(({ content }) => content.sourceRecordId)).not.toContain('9001');
    expect(await served.sync()).toMatchObject({ removed: 0, failedEvents: 0, failure: null });
  });

  it('leaves records that were imported by hand under the same meeting', async () => {
    await served.sync();
    const meeting = records.all('meetings').find(({ content }) => content.sourceRecordId === '9001');
    const sourceUrl = 'https://elsewhere.example.org/';
    const itemId = derivedId('by', 'hand', 'item');
    await records.write([
      {
        op: 'upsert',
        resource: 'agenda_items',
        id: itemId,
        content: { meetingId: meeting?.id, sequence: 9, title: 'By hand', sourceRecordId: '90012', sourceUrl },
      },
      {
        op: 'upsert',
        resource: 'documents',
        id: derivedId('by', 'hand'),
        content: { meetingId: meeting?.id, kind: 'exhibit', title: 'By hand', url: sourceUrl },
      },
    ]);
    recording.events = recording.events.filter((event) => event.EventId !== 9001);
    await served.sync();
    expect(records.records.has(itemId)).toBe(true);
    expect(records.records.has(derivedId('by', 'hand'))).toBe(true);
  });

  it('reads and removes no event before its start date', async () => {
    await served.sync();
    recording.events = recording.events.filter((event) => event.EventId !== 9005);
    const report = await served.sync({ since: '2026-03-01' });
    expect(report).toMatchObject({ read: { events: 4 }, removed: 0 });
    const filters = server.requests.map((request) => new URL(request, server.baseUrl).searchParams.get('$filter'));
    expect(filters.filter((filter) => filter !== null)).toEqual(["EventDate ge datetime'2026-03-01'"]);
    expect((await served.sync()).removed).toBe(1);
  });
});

describe('a failure of the source', () => {
  it('does not change the records when it is transient', async () => {
    server.faults.push(status(500), status(503, { 'retry-after': '7' }), cutBody, halfJson, status(429));
    const report = await served.sync();
    expect(report).toMatchObject({ failure: null, failedEvents: 0, sourcesChecked: 2 });
    expect(records.all('meetings')).toHaveLength(6);
    expect(clock.slept.filter((milliseconds) => milliseconds >= 7000)[0]).toBe(7000);
    expect(clock.slept).toHaveLength(5);
  });

  it('is retried after as long as the source asks, up to two minutes, and a longer wait is left to the next run', async () => {
    server.faults.push(status(408), status(429, { 'retry-after': '120' }));
    expect((await served.sync()).failure).toBeNull();
    expect(clock.slept.slice(1)).toEqual([120_000]);
    clock.slept.length = 0;
    server.faults.push(status(503, { 'retry-after': '121' }));
    expect((await served.sync()).failure).toMatch(/status 503/);
    expect(clock.slept).toEqual([]);
  });

  it('waits for a slow answer and ends one without an end', async () => {
    server.faults.push((response) => {
      setTimeout(
        () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(recording.bodies)),
        300,
      );
    }, hang);
    const report = await served.sync({ timeout: 1000 });
    expect(report.failure).toBeNull();
    expect(clock.slept).toHaveLength(1);
  });

  it('fails the check of every known source and removes nothing when the list cannot be read', async () => {
    await served.sync();
    const synced = new Date(clock.now()).toISOString();
    await clock.sleep(60_000);
    recording.events = [];
    server.faultsByPath.set(`/v1/${CLIENT}/events`, cutBody);
    const report = await served.sync();
    expect(report.failure).toMatch(/could not be read at \/v1\/fortworthgov\/events/);
    expect(served.removals()).toEqual([]);
    const sources = records.all('sources').filter(({ content }) => content.status === 'failing');
    expect(sources.map(({ content }) => content.consecutiveFailures)).toEqual([1, 1]);
    expect(sources.map(({ content }) => content.lastCheckFailure)).toEqual([report.failure, report.failure]);
    expect(sources.map(({ content }) => content.lastSuccessfulCheckAt)).toEqual([synced, synced]);
    expect(sources.every(({ content }) => String(content.lastCheckedAt) > synced)).toBe(true);
  });

  it('removes nothing after an empty list', async () => {
    await served.sync();
    recording.events = [];
    const report = await served.sync();
    expect(report.failure).toMatch(/is empty although/);
    expect(served.removals()).toEqual([]);
  });

  it('removes no event that the source still returns by id', async () => {
    await served.sync();
    const hidden = recording.events.find((event) => event.EventId === 9001);
    server.faultsByPath.set(`/v1/${CLIENT}/events/9001`, (response) =>
      response.writeHead(200).end(JSON.stringify(hidden)),
    );
    recording.events = recording.events.filter((event) => event.EventId !== 9001);
    const report = await served.sync();
    expect(report).toMatchObject({ removed: 0, failedEvents: 0 });
  });

  it('keeps everything of an event with unreadable items, and reports it in its source', async () => {
    await served.sync();
    recording.items.set(9001, []);
    server.faultsByPath.set(`/v1/${CLIENT}/events/9001/eventitems`, status(500));
    const report = await served.sync();
    expect(report).toMatchObject({ failedEvents: 1, removed: 0, failure: null });
    const failing = records.all('sources').filter(({ content }) => content.status === 'failing');
    const reason =
      'an event could not be read: the source could not be read at /v1/fortworthgov/events/9001/eventitems: status 500';
    expect(failing.map(({ content }) => content.lastCheckFailure)).toEqual([reason]);
    expect(await served.status()).toMatchObject({ status: 'failing', failure: reason });
    server.faultsByPath.clear();
    const healed = await served.sync();
    expect(healed.removed).toBe(5);
    expect(records.all('sources').filter(({ content }) => content.status === 'failing')).toHaveLength(0);
    expect(records.all('sources').filter(({ content }) => content.lastCheckFailure !== undefined)).toEqual([]);
    expect(await served.status()).toMatchObject({ status: 'healthy', failure: null });
  });

  it('keeps an item whose row is broken, and every document of an event with a broken row', async () => {
    await served.sync();
    served.retitle(7);
    expect((await served.sync()).removed).toBe(0);
    recording.items.get(9001)?.splice(1, 1, 'nonsense');
    expect((await served.sync()).removed).toBe(0);
    expect(records.one('agenda_items', 'sourceRecordId', '90012')).toBeDefined();
  });

  it('is one clear error without retries when the client is unknown to the source', async () => {
    const unknown = served.reader({ client: 'unlisted' });
    const request = { client: 'unlisted', options: { jurisdiction: 'addison' } };
    const report = await syncAgendas(unknown, request, { writer: records, known: records, clock });
    expect(report.failure).toBe('the source does not know the client "unlisted"; check the name with the source');
    expect(server.requests).toHaveLength(1);
    expect(records.log).toEqual([]);
  });

  it('refuses an oversized answer at once', async () => {
    const report = await served.sync({ maxBodyBytes: 100 });
    expect(report.failure).toMatch(/over 100 bytes/);
    expect(clock.slept).toEqual([]);
  });

  it('does not follow a redirect', async () => {
    server.faultsByPath.set(`/v1/${CLIENT}/bodies`, (response) =>
      response.writeHead(302, { location: '/v1/elsewhere/bodies' }).end(),
    );
    const report = await served.sync();
    expect(report.failure).toMatch(/refused .* with status 302/);
    expect(server.requests.filter((path) => path.includes('elsewhere'))).toEqual([]);
  });

  it('ends after the configured number of attempts', async () => {
    server.faultsByPath.set(`/v1/${CLIENT}/bodies`, status(503));
    const report = await served.sync({ retries: { attempts: 3, baseMilliseconds: 100, maxMilliseconds: 150 } });
    expect(report.failure).toMatch(/status 503/);
    expect(clock.slept).toEqual([75, 112.5]);
  });
});

describe('pages', () => {
  it('are read until one is not full', async () => {
    const [event] = recording.events;
    recording.events = Array.from({ length: 2001 }, (_, index) => ({
      ...event,
      EventId: 20_000 + index,
      EventAgendaFile: null,
    }));
    expect(await served.reader({ maxBodyBytes: 10_000_000 }).events(null)).toHaveLength(2001);
    expect(server.requests.map((request) => new URL(request, 'http://x').searchParams.get('$skip'))).toEqual([
      '0',
      '1000',
      '2000',
    ]);
  });
});
