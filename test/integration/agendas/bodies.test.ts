import { beforeEach, describe, expect, it } from 'vitest';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import {
  catalogueBodyId,
  catalogueRecords,
  catalogueSourceId,
} from '../../../src/sources/catalogue/catalogue-records.ts';
import { derivedBodyId, derivedSourceId } from '../../../src/sources/agendas/own-records.ts';
import { type Connectors, stateOf } from '../../../src/sources/added-sources.ts';
import { agendaConnector, syncAgendas } from '../../../src/sources/agendas/sync.ts';
import { MemoryRecords } from './memory-records.ts';
import { readRecording, type Recording } from './replay-server.ts';

const CLIENT = 'fortworthgov';
const DAY_MS = 86_400_000;
/** Bodies of the recording: 700, the council of the catalogue, and 701, the parks board. */
const [COUNCIL, PARKS] = [700, 701];
const parksBody = derivedBodyId(CLIENT, PARKS);
const parksSource = derivedSourceId(CLIENT, parksBody);
const councilBody = catalogueBodyId('fort-worth', 'city-council');
const councilSource = catalogueSourceId('fort-worth', 'city-council');

let recording: Recording;
let records: MemoryRecords;
let now: number;
let listsNoBodies: boolean;

const sync = () => {
  const reader: AgendaReader = {
    platform: { sourceType: 'legistar', label: 'Legistar', ...(listsNoBodies && { listsNoBodies: true }) },
    bodies: async () => recording.bodies,
    events: async () => recording.events,
    event: async () => null,
    eventItems: async (eventId) => recording.items.get(eventId) ?? [],
  };
  const clock = { now: () => now, sleep: async () => undefined };
  return syncAgendas(reader, { client: CLIENT, options: {} }, { writer: records, known: records, clock });
};
const contentOf = (id: string) => records.records.get(id)?.content;
const bodyRows = () => recording.bodies as { BodyId: number; BodyName: string }[];
const rename = (bodyId: number, name: string): void => {
  for (const row of bodyRows()) if (row.BodyId === bodyId) row.BodyName = name;
  for (const row of recording.events) if (row.EventBodyId === bodyId) row.EventBodyName = name;
};
const unlist = (bodyId: number): void => {
  recording.bodies = bodyRows().filter(({ BodyId }) => BodyId !== bodyId);
};
const dropEvents = (bodyId: number): void => {
  recording.events = recording.events.filter(({ EventBodyId }) => EventBodyId !== bodyId);
};
const meetingsOf = (bodyId: string) =>
  records
    .all('meetings')
    .filter(({ content }) => content.publicBodyId === bodyId)
    .map(({ content }) => content.sourceRecordId);
const isUnchanged = async () => (await sync()).appended === 0;

beforeEach(async () => {
  recording = await readRecording(CLIENT);
  records = new MemoryRecords();
  now = Date.parse('2026-04-10T12:00:00Z');
  listsNoBodies = false;
  await records.write(catalogueRecords());
});

describe('a body that is renamed', () => {
  it('keeps its slug, and a new body of its old name gets another', async () => {
    await sync();
    rename(PARKS, 'Park Commission');
    recording.bodies.push({ BodyId: 702, BodyName: 'Parks Board' });
    await sync();
    expect(contentOf(parksBody)).toMatchObject({ slug: 'parks-board', name: 'Park Commission' });
    expect(contentOf(derivedBodyId(CLIENT, 702))).toMatchObject({ slug: 'parks-board-702', name: 'Parks Board' });
    expect(await isUnchanged()).toBe(true);
  });

  it('of the catalogue keeps its record, source and meetings', async () => {
    await sync();
    const before = meetingsOf(councilBody);
    rename(COUNCIL, 'Common Council of the City');
    await sync();
    expect(meetingsOf(councilBody)).toEqual(before);
    expect(contentOf(councilSource)).toMatchObject({ status: 'healthy', active: true });
    expect(contentOf(derivedBodyId(CLIENT, COUNCIL))).toBeUndefined();
    expect(await isUnchanged()).toBe(true);
  });
});

describe('a body that leaves the list', () => {
  it('is inactive with its source, which no later failure reaches, and is active again with the list', async () => {
    await sync();
    const [list, events] = [recording.bodies, recording.events];
    unlist(PARKS);
    dropEvents(PARKS);
    now += DAY_MS;
    await sync();
    expect(contentOf(parksBody)).toMatchObject({ active: false, slug: 'parks-board' });
    expect(contentOf(parksSource)).toMatchObject({ active: false, status: 'unknown', consecutiveFailures: 0 });
    const added = {
      source: 'legistar',
      client: CLIENT,
      jurisdiction: { slug: 'fort-worth', name: 'Fort Worth', timezone: 'America/Chicago' },
    };
    const connectors = { legistar: agendaConnector(() => undefined as never, '') } as unknown as Connectors;
    expect(await stateOf(connectors, records, { added: { ...added, isPublic: false }, now })).toMatchObject({
      status: 'healthy',
      bodies: 1,
    });
    const before = contentOf(parksSource);
    now += DAY_MS;
    expect(await isUnchanged()).toBe(true);
    recording.bodies = [];
    await sync();
    expect(contentOf(parksSource)).toEqual(before);
    expect(contentOf(councilSource)).toMatchObject({ status: 'failing' });
    [recording.bodies, recording.events] = [list, events];
    await sync();
    expect(contentOf(parksBody)).toMatchObject({ active: true, slug: 'parks-board' });
    expect(contentOf(parksSource)).toMatchObject({ active: true, status: 'healthy' });
  });

  it('of the catalogue stays active, and its source says that it is not read', async () => {
    await sync();
    unlist(COUNCIL);
    dropEvents(COUNCIL);
    await sync();
    expect(contentOf(councilBody)).toMatchObject({ active: true });
    expect(contentOf(councilSource)).toMatchObject({ active: true, status: 'unknown' });
    expect(await isUnchanged()).toBe(true);
  });

  it('of a platform without a list of bodies is active, and its source was checked', async () => {
    listsNoBodies = true;
    await sync();
    unlist(PARKS);
    dropEvents(PARKS);
    now += DAY_MS;
    await sync();
    expect(contentOf(parksBody)).toMatchObject({ active: true });
    expect(contentOf(parksSource)).toMatchObject({
      active: true,
      status: 'healthy',
      lastCheckedAt: new Date(now).toISOString(),
    });
  });
});

describe('an event whose body is not in the list', () => {
  it('is published under the body that it names, the same one as when it is listed', async () => {
    await sync();
    const before = [meetingsOf(parksBody), contentOf(parksBody)];
    const listed = records;
    records = new MemoryRecords();
    await records.write(catalogueRecords());
    unlist(PARKS);
    const report = await sync();
    expect(report.skipped.filter(({ what }) => what === 'event')).toEqual([]);
    expect([meetingsOf(parksBody), contentOf(parksBody)]).toMatchObject([
      before[0],
      { slug: 'parks-board', active: true },
    ]);
    expect(contentOf(parksSource)).toMatchObject({ active: true, status: 'healthy' });
    expect(await isUnchanged()).toBe(true);
    // Published before: its record stays as it is.
    records = listed;
    expect(await isUnchanged()).toBe(true);
  });

  it('leaves its body inactive once it has no meeting to come, with the source that was read', async () => {
    now = Date.parse('2027-01-01T00:00:00Z');
    unlist(PARKS);
    await sync();
    expect(meetingsOf(parksBody)).not.toEqual([]);
    expect(contentOf(parksBody)).toMatchObject({ active: false });
    const checkedAt = new Date(now).toISOString();
    expect(contentOf(parksSource)).toMatchObject({
      active: false,
      status: 'unknown',
      lastSuccessfulCheckAt: checkedAt,
    });
    now += DAY_MS;
    expect(await isUnchanged()).toBe(true);
    expect(contentOf(parksSource)).toMatchObject({ lastSuccessfulCheckAt: checkedAt });
  });

  it('is left out where the body has no name', async () => {
    unlist(PARKS);
    for (const row of recording.events) if (row.EventBodyId === PARKS) row.EventBodyName = null;
    const report = await sync();
    const reasons = new Set(report.skipped.filter(({ what }) => what === 'event').map(({ reason }) => reason));
    expect(reasons).toEqual(new Set(['its body 701 is not in the list of bodies and has no name']));
  });
});

describe('a body that is to be removed', () => {
  it('is never published, and is withdrawn with its meetings and source', async () => {
    await sync();
    rename(PARKS, 'TO BE REMOVED');
    const report = await sync();
    expect(report.skipped).toContainEqual({
      what: 'body',
      id: '701',
      reason: 'its name says that it is not for the public',
      isIntended: true,
    });
    expect([contentOf(parksBody), contentOf(parksSource), meetingsOf(parksBody)]).toEqual([undefined, undefined, []]);
    const names = JSON.stringify([...records.records.values()]);
    expect(names).not.toContain('TO BE REMOVED');
    expect(await isUnchanged()).toBe(true);
    records = new MemoryRecords();
    await records.write(catalogueRecords());
    unlist(PARKS);
    await sync();
    expect([contentOf(parksBody), meetingsOf(parksBody)]).toEqual([undefined, []]);
  });
});
