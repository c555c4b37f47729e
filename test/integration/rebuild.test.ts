import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Projector } from '../../src/processors/projector/projector.ts';
import { verifyProjection } from '../../src/processors/projector/compare-with-live.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { snapshots } from '../../projections/snapshots/projection.ts';
import { readFeedHead } from '../../queries/feed/feed-head.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import type { Generation, GenerationStore } from '../../domain/ports/generations.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { DAY_MS, openTestCivic, RETENTION_MS, type TestCivic, untilTrue } from '../support/civic.ts';
import { below, randomChanges, randomFrom, upsert } from '../support/civic-records.ts';
import { testSeed, withSeed } from '../support/test-seed.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { checkReading, expectedFeed, type ReadItem, readPage } from '../support/history-checker.ts';
import { dumpTables } from '../support/projection-spec.ts';

const MAX_BYTES = 50_000_000;

let server: TestDatabase;
let civic: TestCivic;
let projector: Projector | undefined;

beforeAll(async () => {
  server = await startTestDatabase();
  civic = await openTestCivic(server.url, { leaseMs: 1000, batchSize: 50 });
  const random = randomFrom(testSeed());
  for (let round = 0; round < 20; round++) {
    civic.clock.advance(60_000);
    await civic.writer.write(randomChanges(random, 40, 40), {});
  }
});

afterEach(async () => {
  await projector?.stop();
  projector = undefined;
});

afterAll(async () => {
  await civic?.close();
  await server?.close();
});

const row = async (generation: number): Promise<Generation | undefined> =>
  (await civic.generations.list()).find((candidate) => candidate.generation === generation);

const rebuild = (projection: Projection): Promise<Generation> =>
  civic.generations.create(projection, 'building', Date.now());

/** The fold, delayed by some milliseconds. */
const slowed = (projection: Projection, milliseconds: number, onBatch: () => void = () => undefined): Projection => ({
  ...projection,
  fold: async (batch, context) => {
    onBatch();
    await civic.clock.sleep(milliseconds);
    await projection.fold(batch, context);
  },
});

async function following(stopped: () => boolean): Promise<{ readonly items: ReadItem[]; readonly to: number }> {
  const items: ReadItem[] = [];
  let cursor: string | undefined;
  let head = 0;
  for (;;) {
    const last = stopped();
    const position = (await readFeedHead(civic.reads)).position;
    expect(position).toBeGreaterThanOrEqual(head);
    head = position;
    const page = readPage(
      (await civic.changes({ ...(cursor === undefined ? {} : { cursor }), limit: 37, maxResponseBytes: MAX_BYTES }))
        .text,
    );
    items.push(...page.items);
    cursor = page.nextCursor;
    if (last && !page.hasMore) return { items, to: page.next };
  }
}

test('a generation is built while the live one serves; a reader across the switch sees no gap', async () => {
  projector = civic.startProjector([slowed(recordHistory, 3), snapshots]);
  await civic.caughtUp();
  const stopping = new AbortController();
  const reading = following(() => stopping.signal.aborted);
  const writing = withSeed(async (random) => {
    for (let from = 0; !stopping.signal.aborted || from < 5; from++) {
      await civic.writer.write(randomChanges(random, 5, 40), {});
      await civic.clock.sleep(10);
    }
  });
  for (let times = 0; times < 3; times++) {
    const building = await rebuild(recordHistory);
    projector.nudge();
    // Writes continue, so a wait for an idle log would not end.
    await untilTrue('the rebuilt generation serves', async () => (await row(building.generation))?.state === 'live');
    expect(await civic.live(recordHistory.name)).toBe(building.generation);
  }
  stopping.abort();
  await writing;
  const { items, to } = await reading;
  const expected = await expectedFeed(civic.log);
  checkReading(expected, items, { from: 0, to, resource: null });
  expect(civic.logger.errors).toEqual([]);
});

test('a rebuild ends although every read of the log finds new events', async () => {
  let number = 0;
  const busy: EventLog = {
    ...civic.log,
    readAll: async (read) => {
      await civic.writer.write([upsert('documents', number % 20, (number += 1))], {});
      return civic.log.readAll(read);
    },
  };
  projector = civic.startProjector([recordHistory, snapshots], { log: busy, batchSize: 100 });
  const building = await rebuild(recordHistory);
  projector.nudge();
  await untilTrue('the rebuilt generation serves', async () => (await row(building.generation))?.state === 'live');
});

test('tables of another version of the program are not filled', async () => {
  projector = civic.startProjector([recordHistory, snapshots]);
  await civic.caughtUp();
  await projector.stop();
  const before = (await row(await civic.live(recordHistory.name)))!;
  let looks = 0;
  // The list is older than the generation.
  const stale: GenerationStore = {
    ...civic.generations,
    list: () => {
      looks += 1;
      return Promise.resolve([]);
    },
  };
  projector = civic.startProjector([{ ...recordHistory, version: recordHistory.version + 1 }], { generations: stale });
  await untilTrue('it has looked three times', () => {
    projector!.nudge();
    return looks > 3;
  });
  await projector.stop();
  expect((await row(before.generation))!.token).toBe(before.token);
});

/** The version that is live once the test of newer ones has run. */
const CURRENT: Projection = { ...recordHistory, version: recordHistory.version + 3 };

test('a newer version replaces a live one without a projector, also when events have arrived since', async () => {
  projector = civic.startProjector([recordHistory, snapshots]);
  await civic.caughtUp();
  await projector.stop();
  await civic.writer.write([upsert('topics', 100, 1)], {});
  const newer: Projection = { ...recordHistory, version: recordHistory.version + 1 };
  projector = civic.startProjector([newer, snapshots]);
  await untilTrue('the newer version serves', async () =>
    (await civic.generations.list()).some(
      ({ projection, version, state }) => projection === newer.name && version === newer.version && state === 'live',
    ),
  );
  await civic.caughtUp();
  expect((await following(() => true)).to).toBe((await expectedFeed(civic.log)).length);
  // The newer version is now live.
  await projector.stop();
  const unfinished = await civic.generations.create(
    { ...recordHistory, version: newer.version + 1 },
    'building',
    Date.now(),
  );
  projector = civic.startProjector([CURRENT, snapshots]);
  await untilTrue('the newest version serves', async () =>
    (await civic.generations.list()).some(
      ({ projection, version, state }) => projection === newer.name && version === CURRENT.version && state === 'live',
    ),
  );
  expect((await row(unfinished.generation))?.state ?? 'retired').toBe('retired');
  expect((await row(unfinished.generation))?.folded ?? 0).toBe(0);
});

describe('from this position', () => {
  const current = CURRENT;

  test('a rebuild that is interrupted at random points continues and equals an uninterrupted one', async () => {
    projector = civic.startProjector([current, snapshots]);
    await civic.caughtUp();
    const whole = await dumpTables(civic.database, current, await civic.live(current.name));
    await projector.stop();
    await withSeed(async (random) => {
      const building = await rebuild(current);
      let last = { checkpoint: '', folded: 0 };
      for (let state: Generation['state'] = 'building', times = 0; state === 'building'; times++) {
        let batches = 1 + below(random, 3);
        let enough: () => void = () => undefined;
        const folded = new Promise<void>((resolve) => (enough = resolve));
        // Stops an owner that the last iteration left running.
        await projector?.stop();
        projector = civic.startProjector(
          [
            slowed(current, 1, () => {
              if (--batches === 0) enough();
            }),
            snapshots,
          ],
          { batchSize: 20 + below(random, 80) },
        );
        await Promise.race([
          folded,
          untilTrue('it serves', async () => (await row(building.generation))?.state === 'live'),
        ]);
        if (times < 30) await projector.stop();
        // Read before the state: an owner that runs on may make it live in between.
        const live = await civic.live(current.name);
        const now = (await row(building.generation))!;
        state = now.state;
        expect(now.checkpoint >= last.checkpoint).toBe(true);
        expect(now.folded).toBeGreaterThanOrEqual(last.folded);
        const [liveRow] = await civic.rows(`select count(*) from ${RECORD_HISTORY.at(building.generation).history}`);
        expect(Number(liveRow![0])).toBeGreaterThanOrEqual(last.folded > 0 ? 1 : 0);
        last = now;
        if (state === 'building') expect(live).not.toBe(building.generation);
      }
      expect(await dumpTables(civic.database, current, building.generation)).toEqual(whole);
    });
  });

  test('a rebuild that would not reproduce the feed is refused once, and the live one continues', async () => {
    const live = await civic.live(current.name);
    const { history, state } = RECORD_HISTORY.at(live);
    const otherwise: Projection = {
      ...current,
      version: current.version + 1,
      fold: (batch, context) =>
        current.fold(
          batch.map((event) => ({ ...event, time: event.time + 1 })),
          context,
        ),
    };
    projector = civic.startProjector([otherwise, snapshots]);
    const refused = async () =>
      (await civic.generations.list()).filter(
        ({ state, version }) => state === 'refused' && version === current.version + 1,
      );
    await untilTrue('the rebuild is refused', async () => (await refused()).length > 0);
    expect((await refused())[0]!.pausedReason).toContain('differs');
    // There is still one after several checks for work.
    for (let looks = 0; looks < 4; looks++) {
      projector.nudge();
      await civic.clock.sleep(20);
    }
    expect(await refused()).toHaveLength(1);
    expect(await civic.live(current.name)).toBe(live);
    await projector.stop();

    await civic.rows(`update ${state} set chain = 'tampered'`);
    const building = await rebuild(current);
    projector = civic.startProjector([current, snapshots]);
    await untilTrue('the rebuild is refused', async () => (await row(building.generation))?.state === 'refused');
    expect(await civic.live(current.name)).toBe(live);
    await projector.stop();
    const [chain] = await civic.rows(`select chain from ${RECORD_HISTORY.at(building.generation).state}`);
    await civic.rows(`update ${state} set chain = $1`, [chain![0]!]);
    projector = civic.startProjector([current, snapshots]);

    const verify = () => verifyProjection(civic.dependencies(), current, () => undefined, new AbortController().signal);
    expect((await verify()).differences).toEqual([]);
    const [liveRow] = await civic.rows(
      `select position, envelope, body from ${history} where body is not null order by position desc limit 1`,
    );
    for (const [column, tampered] of [
      ['body', '{"tampered":true}'],
      ['envelope', '"resource":"topics"'],
    ] as const) {
      await civic.rows(`update ${history} set ${column} = '${tampered}' where position = ${liveRow![0]}`);
      const { differences } = await verify();
      expect(differences).toHaveLength(1);
      expect(differences[0]).toMatch(new RegExp(`^${liveRow![0]} `));
      await civic.rows(`update ${history} set ${column} = $1 where position = ${liveRow![0]}`, [
        liveRow![column === 'body' ? 2 : 1]!,
      ]);
    }
    await civic.rows(`delete from ${history} where position = ${liveRow![0]}`);
    expect((await verify()).differences[0]).toMatch(new RegExp(`^${liveRow![0]} `));
    expect((await civic.generations.list()).filter(({ state }) => state === 'scratch')).toEqual([]);
    await civic.rows(
      `insert into ${history} select * from ${RECORD_HISTORY.at(building.generation).history} where position = ${liveRow![0]}`,
    );
    expect((await verify()).differences).toEqual([]);
  });

  test('a rebuild overtakes a live generation that is paused, keeps its positions and continues', async () => {
    const poison = upsert('topics', 777, 1);
    const poisoned: Projection = {
      ...current,
      fold: async (batch, context) => {
        if (batch.some(({ stream }) => stream === `topics-${poison.id}`)) throw new Error('cannot be folded yet');
        await current.fold(batch, context);
      },
    };
    const paused = async () => (await row(await civic.live(current.name)))!.pausedReason;
    projector = civic.startProjector([poisoned, snapshots]);
    await civic.writer.write([upsert('topics', 776, 1), poison, upsert('topics', 778, 1)], {});
    await untilTrue('the live generation is paused', async () => (await paused()) !== null);
    await projector.stop();
    projector = civic.startProjector([current, snapshots]);
    const building = await rebuild(current);
    projector.nudge();
    await untilTrue('the rebuilt generation serves', async () => (await row(building.generation))?.state === 'live');
    await civic.caughtUp();
    const { items, to } = await following(() => true);
    const expected = await expectedFeed(civic.log);
    expect(to).toBe(expected.length);
    checkReading(expected, items, { from: 0, to, resource: null });
    expect(await paused()).toBeNull();
  });

  test('a verification while events arrive and old rows are pruned finds no difference', async () => {
    projector = civic.startProjector([current, snapshots]);
    await civic.caughtUp();
    const stopping = new AbortController();
    const writing = withSeed(async (random) => {
      while (!stopping.signal.aborted) {
        await civic.writer.write(randomChanges(random, 5, 40), {});
        // Paced, so that the log that is verified stays short.
        await civic.clock.sleep(10);
      }
    });
    civic.clock.advance(RETENTION_MS + DAY_MS);
    const verify = () => verifyProjection(civic.dependencies(), current, () => undefined, new AbortController().signal);
    expect((await verify()).differences).toEqual([]);
    expect(await civic.prune()).toBeGreaterThan(0);
    expect((await verify()).differences).toEqual([]);
    const building = await rebuild(current);
    projector.nudge();
    await untilTrue('the rebuilt generation serves', async () => (await row(building.generation))?.state === 'live');
    stopping.abort();
    await writing;
    expect((await verify()).differences).toEqual([]);
  });
});
