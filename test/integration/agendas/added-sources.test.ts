import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { readSourceListEvent } from '../../../domain/events/source-events.ts';
import { SOURCE_LIST_STREAM } from '../../../domain/streams.ts';
import { UnknownSourceClient } from '../../../domain/ports/source-ports.ts';
import type { Resource } from '../../../domain/records/resources.ts';
import { systemClock } from '../../../infra/system/clock.ts';
import { currentIds } from '../../../queries/feed/published-records.ts';
import type { Civic } from '../../../src/app/civic.ts';
import { openCivic } from '../../../src/app/composition.ts';
import { scheduledJobs } from '../../../src/app/serving/serve.ts';
import { readSettings } from '../../../src/app/settings.ts';
import { writeReferenceRecords } from '../../../src/sources/first-run.ts';
import { startTestDatabase, type TestDatabase } from '../../support/embedded-database.ts';
import { untilTrue } from '../../support/until-reached.ts';
import { readRecording, type Recording, startReplayServer } from './replay-server.ts';

const CLIENT = 'examplecity';
const REF = { source: 'legistar', client: CLIENT };
const PLACE = { slug: 'example-city', name: 'Example City', timezone: 'America/New_York' };
const DEADLINE_MS = 30_000;
/** A removal that does not wait for a batch takes less. */
const HELD_MS = 3_000;
const REZONING = 'An ordinance to rezone 12 acres at 100 Main Street from single-family to commercial zoning';

let database: TestDatabase;
let recording: Recording;
let platform: Awaited<ReturnType<typeof startReplayServer>>;
/** Two processes on one database. */
let [one, other] = [] as unknown as [Civic, Civic];

const open = () =>
  openCivic(readSettings({ DATABASE_URL: database.url, CIVIC_LOG_LEVEL: 'silent' }).settings, 'command', []);

beforeEach(async () => {
  database = await startTestDatabase();
  recording = await readRecording('fortworthgov');
  // The rows of New York: one for each action, the second without a place on the agenda.
  const row = {
    EventItemTitle: REZONING,
    EventItemMatterFile: 'LU 1-2026',
    EventItemMatterType: 'Land Use Application',
  };
  recording.items.set(9001, [
    {
      ...row,
      EventItemId: 1,
      EventItemAgendaSequence: 1,
      EventItemMinutesSequence: 1,
      EventItemActionName: 'Hearing Held by Committee',
    },
    {
      ...row,
      EventItemId: 2,
      EventItemAgendaSequence: 0,
      EventItemMinutesSequence: 2,
      EventItemActionName: 'Approved, by Council',
    },
  ]);
  platform = await startReplayServer(CLIENT, recording);
  [one, other] = [await open(), await open()];
  one.startProjector();
  one.startReactors(['classification']);
  await writeReferenceRecords(one);
  await folded();
});

afterEach(async () => {
  for (const civic of [one, other]) await civic.close();
  await platform.close();
  await database.close();
});

const add = (civic: Civic, isPublic = false) =>
  civic.addSource({ ...REF, jurisdiction: PLACE, isPublic, baseUrl: platform.baseUrl }, DEADLINE_MS);
const remove = (civic: Civic) => civic.removeSource(REF, DEADLINE_MS);
const folded = async () => expect(await one.caughtUp(await one.log.head())).toBe(true);
async function published(resource: Resource): Promise<number> {
  let count = 0;
  for await (const ids of currentIds(one.reads, resource)) count += ids.length;
  return count;
}

/** Runs the polling of added sources in a process until it is ended. */
function startPolling(civic: Civic) {
  const ending = new AbortController();
  const [job] = scheduledJobs(civic, 'worker', ending.signal).filter(({ what }) => what === 'polling added sources');
  const end = async () => {
    ending.abort();
    await job!.ended!();
  };
  onTestFinished(end);
  return { run: job!.run, ended: job!.ended!, end };
}

const search = async (): Promise<readonly { readonly jurisdiction: string; readonly meetingDate: string }[]> => {
  const principal = { accountId: 'x' } as never;
  const signal = new AbortController().signal;
  const input = { query: 'rezone commercial zoning', jurisdictionSlug: PLACE.slug, limit: 10 } as never;
  return (await one.tools.functions.search_agenda(input, { principal, signal } as never)).data.results;
};
const ask = async <Data>(
  operation: 'listRecentAgendaHits' | 'listPublicSourceStatuses',
  query: object,
): Promise<Data> => {
  const answer = await one.publicOperations[operation].ask({ query } as never);
  return (JSON.parse(answer) as { readonly data: Data }).data;
};
const hits = () =>
  ask<readonly { readonly title: string; readonly proceduralContext: object }[]>('listRecentAgendaHits', {
    jurisdictionSlug: PLACE.slug,
    limit: 50,
  });
const hit = (matchId: string) => one.publicOperations.getAgendaHit.ask({ params: { matchId } } as never);

test('a source that one process adds is polled by another without a restart, and is complete in feed, search and tools', async () => {
  const polling = startPolling(other);
  await polling.run();
  expect(platform.requests).toEqual([]);
  expect((await add(one)).kind).toBe('appended');
  await polling.run();
  await untilTrue('the source is read', async () => (await folded(), (await published('sources')) === 7 + 2));
  expect([await published('meetings'), await published('agenda_items')]).toEqual([6, 4]);
  const [place] = (await one.published.current('jurisdictions', await idsOf('jurisdictions')))
    .values()
    .filter(({ slug }) => slug === PLACE.slug);
  expect(place).toMatchObject({ name: PLACE.name, timezone: PLACE.timezone, level: 'city' });
  const meetings = [...(await one.published.current('meetings', await idsOf('meetings'))).values()];
  const of = (eventId: string) => meetings.find(({ sourceRecordId }) => sourceRecordId === eventId);
  expect(of('9001')).toMatchObject({ startsAt: '2026-03-10T22:00:00.000Z', timezone: PLACE.timezone });
  expect(of('9004')).toMatchObject({ startsAt: '2026-04-16T04:00:00.000Z', startTime: { status: 'not_stated' } });
  await untilTrue('its hit is there', async () => (await published('agenda_hits')) > 0);
  await folded();
  expect(await search()).toMatchObject([{ jurisdiction: 'Example City', meetingDate: '2026-03-10' }]);
  const { data } = await one.tools.functions.get_coverage({}, {} as never);
  expect(data.jurisdictions.find(({ jurisdictionSlug }) => jurisdictionSlug === PLACE.slug)?.sources).toMatchObject([
    { publicBodyName: 'City Council', status: 'healthy' },
    { publicBodyName: 'Parks Board', status: 'healthy', lastCheckDegraded: 1 },
  ]);
  expect(await one.sourceStates()).toMatchObject([
    { ...REF, status: 'healthy', bodies: 2, skipped: 0, degraded: 1, isPublic: false },
  ]);
  const requests = platform.requests.length;
  await polling.run();
  await polling.end();
  expect(platform.requests).toHaveLength(requests);
});

async function idsOf(resource: Resource): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const some of currentIds(one.reads, resource)) ids.push(...some);
  return ids;
}

test('public operations show the bodies of a place only if it was added publicly, and each hit once', async () => {
  await add(one);
  await folded();
  expect((await one.syncSource('legistar', { client: CLIENT, options: {} })).failure).toBeNull();
  await untilTrue('its hit is there', async () => (await folded(), (await published('agenda_hits')) > 0));
  await folded();
  const [id] = await idsOf('agenda_hits');
  expect(await hits()).toEqual([]);
  await expect(hit(id!)).rejects.toThrow('no such public hit');
  const params = { slug: PLACE.slug, bodySlug: 'city-council' };
  const cadence = () => one.publicOperations.getPublicBodyCadence.ask({ params } as never);
  await expect(cadence()).rejects.toThrow('not published');
  expect(await ask('listPublicSourceStatuses', {})).toHaveLength(7);

  await remove(other);
  await add(other, true);
  await folded();
  const publishedHits = await hits();
  expect(publishedHits.map(({ title }) => title)).toEqual([REZONING]);
  expect(publishedHits[0]!.proceduralContext).toMatchObject({
    proceduralStage: 'final_action',
    actingBodyRole: 'final_decision_maker',
  });
  expect(await hit(id!)).toContain('Example City');
  expect(JSON.parse(await cadence())).toMatchObject({ data: { timezone: PLACE.timezone } });
  expect(await ask('listPublicSourceStatuses', {})).toHaveLength(9);

  await remove(other);
  await folded();
  expect(await hits()).toEqual([]);
});

test('removing a source with its records leaves nothing of it, and records of others stay', async () => {
  const before = await Promise.all((['jurisdictions', 'public_bodies', 'sources'] as const).map(published));
  await add(one);
  await folded();
  await one.syncSource('legistar', { client: CLIENT, options: {} });
  await untilTrue('its hit is there', async () => (await folded(), (await published('agenda_hits')) > 0));
  await remove(one);
  const { removed } = await one.removeRecords((await one.everAdded()).get('legistar:examplecity')!);
  expect(removed).toBeGreaterThan(20);
  await untilTrue('its hit is gone', async () => (await folded(), (await published('agenda_hits')) === 0));
  for (const resource of ['meetings', 'agendas', 'agenda_items', 'documents'] as const)
    expect(await published(resource)).toBe(0);
  expect(await Promise.all((['jurisdictions', 'public_bodies', 'sources'] as const).map(published))).toEqual(before);
  const events = (await one.log.readStream(SOURCE_LIST_STREAM, -1, 10)).map(readSourceListEvent);
  expect(events.map(({ type }) => type)).toEqual(['SourceAdded', 'SourceRemoved']);
});

test('a source that is removed while it is polled is polled no more, and the poll writes nothing further', async () => {
  await add(one);
  await folded();
  const waiting = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  platform.faultsByPath.set(`/v1/${CLIENT}/bodies`, (response) => {
    waiting.resolve();
    void going.promise.then(() =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(recording.bodies)),
    );
  });
  const polling = startPolling(other);
  await polling.run();
  await waiting.promise;
  await remove(one);
  going.resolve();
  // The run ends by itself: an end from outside would hide that the poll continues.
  await polling.ended();
  await folded();
  expect(await published('meetings')).toBe(0);
  const requests = platform.requests.length;
  await startPolling(other).run();
  expect(platform.requests).toHaveLength(requests);
});

test.each(['poll', 'sync by hand'])(
  'a batch of a %s that is written while the source is removed is removed, too',
  async (way) => {
    await add(one);
    await folded();
    const removing = Promise.withResolvers<void>();
    const { log } = other;
    const readStream = log.readStream.bind(log);
    let ended = Promise.resolve();
    log.readStream = async (stream, ...range) => {
      const read = await readStream(stream, ...range);
      const hasItems = platform.requests.some((path) => path.toLowerCase().includes('eventitems'));
      if (stream !== SOURCE_LIST_STREAM || !hasItems) return read;
      // The batch was allowed: it continues when the removal has ended, or the removal waits for it.
      log.readStream = readStream;
      ended = removeWithRecords();
      removing.resolve();
      await Promise.race([ended, systemClock.sleep(HELD_MS)]);
      return read;
    };
    const polling = startPolling(other);
    if (way === 'poll') await polling.run();
    const writing =
      way === 'poll'
        ? polling.ended()
        : other.syncSource('legistar', { client: CLIENT, options: {} }).catch(() => undefined);
    await Promise.race([removing.promise, writing]);
    await Promise.all([writing, ended]);
    await folded();
    expect([await published('meetings'), await published('agenda_items')]).toEqual([0, 0]);
  },
);

async function removeWithRecords(): Promise<void> {
  await remove(one);
  await folded();
  await one.removeRecords((await one.everAdded()).get('legistar:examplecity')!);
}

test('a client that the platform does not know, and a source that is there, are not added', async () => {
  const unknown = { ...REF, client: 'othercity', jurisdiction: PLACE, isPublic: false, baseUrl: platform.baseUrl };
  await expect(one.addSource(unknown, DEADLINE_MS)).rejects.toThrow(UnknownSourceClient);
  expect(await other.addedSources()).toEqual([]);
  await add(one);
  const again = await add(other);
  expect(again.kind === 'rejected' && again.rejection.message).toContain('legistar:examplecity has already been added');
  expect((await remove(other)).kind).toBe('appended');
  expect((await remove(one)).kind).toBe('unchanged');
});
