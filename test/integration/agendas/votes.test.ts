import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legistarHttpReader } from '../../../infra/legistar/http-client.ts';
import { catalogueRecords } from '../../../src/sources/catalogue/catalogue-records.ts';
import { VotesMemory } from '../../../src/sources/agendas/read-votes.ts';
import { syncAgendas } from '../../../src/sources/agendas/sync.ts';
import { MemoryRecords } from './memory-records.ts';
import { readRecording, type Recording, startReplayServer, status } from './replay-server.ts';

const CLIENT = 'fortworthgov';
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

let recording: Recording;
let server: Awaited<ReturnType<typeof startReplayServer>>;
let records: MemoryRecords;
let memory: VotesMemory;
let time: number;

const clock = {
  now: () => time,
  sleep: async (milliseconds: number) => {
    time += milliseconds;
  },
};

async function sync(since?: string) {
  server.requests.length = 0;
  const retries = { attempts: 2, baseMilliseconds: 1, maxMilliseconds: 1 };
  const reader = legistarHttpReader({ baseUrl: server.baseUrl, client: CLIENT, clock, random: () => 0.5, retries });
  const target = { writer: records, known: records, clock };
  const { degraded, failedEvents, skipped } = await syncAgendas(
    reader,
    { client: CLIENT, options: { since } },
    target,
    { votesMemory: memory },
  );
  return { failedEvents, skipped, degraded: degraded.filter(({ reason }) => !reason.startsWith('states no time')) };
}

/** The rows whose votes the last run requested. */
const requestedItems = (): readonly number[] =>
  server.requests
    .flatMap((path) => (path.endsWith('/votes') ? [Number(path.split('/').at(-2))] : []))
    .toSorted((one, other) => one - other);

/** Changes a row of event 9001. */
function change(eventItemId: number, fields: object): void {
  const rows = recording.items.get(9001) as { EventItemId: number }[];
  const at = rows.findIndex((row) => row.EventItemId === eventItemId);
  rows[at] = { ...rows[at]!, ...fields };
}

const votesOn = (eventItemId: number) => records.one('agenda_items', 'sourceRecordId', String(eventItemId)).votes;
const vote = (id: number, name: string, value: string) => ({
  VoteId: id,
  VotePersonName: name,
  VoteValueName: value,
  VoteSort: id,
});

const STATED = {
  EventItemPassedFlagName: 'Pass',
  EventItemMover: 'Member A',
  EventItemSeconder: 'Member B',
  EventItemTally: '2:1',
};
const VOTES = {
  mover: 'Member A',
  seconder: 'Member B',
  tally: '2:1',
  members: [
    { name: 'Member A', vote: 'Aye' },
    { name: 'Member C', vote: 'Nay' },
  ],
};

beforeEach(async () => {
  recording = await readRecording(CLIENT);
  server = await startReplayServer(CLIENT, recording);
  records = new MemoryRecords();
  memory = new VotesMemory();
  time = Date.parse('2026-04-20T12:00:00Z');
  await records.write(catalogueRecords());
  change(90012, { ...STATED, EventItemLastModifiedUtc: '2026-04-01T10:00:00.000', EventItemRowVersion: 'AAAA' });
  recording.votes.set(90012, [vote(1, 'Member A', 'Aye'), vote(2, 'Member C', 'Nay')]);
});
afterEach(() => server.close());

describe('votes by member', () => {
  it('are read where there was a vote, and only there', async () => {
    await sync();
    expect(votesOn(90012)).toEqual(VOTES);
    expect(votesOn(90013)).toBeUndefined();
    expect(requestedItems()).toEqual([90012]);
  });

  it('are those of the last action that has votes', async () => {
    const rows = recording.items.get(9001) as object[];
    const action = {
      ...rows[1],
      EventItemAgendaSequence: 0,
      EventItemTitle: null,
      EventItemMover: null,
      EventItemSeconder: null,
    };
    rows.push({ ...action, EventItemId: 90018, EventItemMinutesSequence: 8, EventItemTally: '9:0' });
    rows.push({ ...action, EventItemId: 90019, EventItemMinutesSequence: 9, EventItemTally: null });
    change(90012, { EventItemMinutesSequence: 7 });
    recording.votes.set(90018, [vote(3, 'Member D', 'Aye')]);
    await sync();
    expect(votesOn(90012)).toEqual({
      mover: null,
      seconder: null,
      tally: '9:0',
      members: [{ name: 'Member D', vote: 'Aye' }],
    });
    expect(requestedItems()).toEqual([90018, 90019]);
  });

  it.each([
    ['that the source does not know', () => recording.votes.delete(90012)],
    ['of which the list is empty', () => recording.votes.set(90012, [])],
    [
      'that the source cannot list',
      () =>
        server.faultsByPath.set(
          `/v1/${CLIENT}/eventitems/90012/votes`,
          status(500, {}, "The cast to value type 'System.Int32' failed because the materialized value is null."),
        ),
    ],
  ])('%s are none', async (_, prepare) => {
    prepare();
    const { degraded } = await sync();
    expect(degraded).toEqual([]);
    expect(votesOn(90012)).toEqual({ ...VOTES, members: [] });
    change(90012, { EventItemMover: null, EventItemSeconder: null, EventItemTally: null });
    await sync();
    expect(votesOn(90012)).toBeUndefined();
  });

  it('are not read again while the row is unchanged, in another process neither', async () => {
    await sync();
    await clock.sleep(HOUR_MS);
    await sync();
    expect(requestedItems()).toEqual([]);
    memory = new VotesMemory();
    await sync();
    expect(requestedItems()).toEqual([]);
    expect(votesOn(90012)).toEqual(VOTES);
  });

  it('on a row that is not on the agenda are not read again', async () => {
    change(90012, { EventItemAgendaSequence: null });
    await sync();
    expect(requestedItems()).toEqual([90012]);
    await sync();
    expect(requestedItems()).toEqual([]);
  });

  it('are read again when the item comes back', async () => {
    await sync();
    const [row] = recording.items.get(9001)!.splice(1, 1);
    await sync();
    recording.items.get(9001)!.push(row);
    await sync();
    expect(votesOn(90012)).toEqual(VOTES);
  });

  it('are not read again where the source had none, for a day', async () => {
    recording.votes.delete(90012);
    await sync();
    await clock.sleep(DAY_MS - 1);
    await sync();
    expect(requestedItems()).toEqual([]);
    await clock.sleep(1);
    await sync();
    expect(requestedItems()).toEqual([90012]);
  });

  it.each([
    ['its stamp', { EventItemLastModifiedUtc: '2026-04-20T11:00:00.000' }],
    ['its tally', { EventItemTally: '1:2' }],
  ])('are read again when the row changes %s', async (_, fields) => {
    await sync();
    recording.votes.set(90012, [vote(1, 'Member A', 'Nay')]);
    change(90012, fields);
    await sync();
    expect(votesOn(90012)).toMatchObject({ members: [{ name: 'Member A', vote: 'Nay' }] });
  });

  it('are read again by a run over named days', async () => {
    await sync();
    await sync('2020-01-01');
    expect(requestedItems()).toEqual([90012]);
  });

  it('are removed with the vote of the row', async () => {
    await sync();
    change(90012, {
      EventItemPassedFlagName: null,
      EventItemMover: null,
      EventItemSeconder: null,
      EventItemTally: null,
    });
    await sync();
    expect(votesOn(90012)).toBeUndefined();
  });
});

describe('votes by member that cannot be read', () => {
  const path = `/v1/${CLIENT}/eventitems/90012/votes`;
  const failed = [
    { what: 'event', id: '9001', reason: expect.stringContaining('the votes on 1 of its items could not be read') },
  ];

  it('leave the published ones and the event as they are, and count it as degraded', async () => {
    await sync();
    server.faultsByPath.set(path, status(503));
    change(90012, { EventItemTally: '3:0', EventItemRowVersion: 'BBBB', EventItemTitle: 'A new title' });
    expect(await sync()).toMatchObject({ failedEvents: 0, degraded: failed });
    expect(records.one('agenda_items', 'sourceRecordId', '90012')).toMatchObject({
      title: 'A new title',
      votes: VOTES,
    });
    server.faultsByPath.clear();
    await clock.sleep(HOUR_MS - 1);
    expect((await sync()).degraded).toMatchObject(failed);
    expect(requestedItems()).toEqual([]);
    await clock.sleep(1);
    expect((await sync()).degraded).toEqual([]);
    expect(votesOn(90012)).toEqual({ ...VOTES, tally: '3:0' });
  });

  it('leave the votes out where none are published', async () => {
    server.faultsByPath.set(path, status(503));
    expect((await sync()).degraded).toMatchObject(failed);
    expect(votesOn(90012)).toBeUndefined();
  });

  it('end the reading of votes in a run after three failures', async () => {
    const rows = recording.items.get(9001) as { EventItemId: number }[];
    const ids = [90021, 90022, 90023, 90024, 90025];
    for (const id of ids) {
      rows.push({ ...rows[1]!, ...STATED, EventItemId: id, ...{ EventItemMatterFile: null } });
      server.faultsByPath.set(`/v1/${CLIENT}/eventitems/${id}/votes`, status(503));
    }
    const { degraded } = await sync();
    expect(degraded[0]?.reason).toContain('the votes on 5 of its items could not be read');
    expect(new Set(requestedItems())).toEqual(new Set([90012, 90021, 90022, 90023]));
  });
});
