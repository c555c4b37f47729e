import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogMoves } from '../../infra/postgresql/installation/log-moves.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import { snapshots } from '../../projections/snapshots/projection.ts';
import { createReadCivicHealth } from '../../queries/feed/read-civic-health.ts';
import { canonicalJson } from '../../domain/digests.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { DatabaseUnavailable, type Transactor } from '../../domain/ports/database.ts';
import { NO_STREAM, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { projectionStream } from '../../domain/streams.ts';
import { LONG_LEASE_MS, openTestCivic, type TestCivic, untilTrue } from '../support/civic.ts';
import { below, randomChanges, randomFrom, recordId, upsert } from '../support/civic-records.ts';
import { testSeed, withSeed } from '../support/test-seed.ts';
import { ALL_PROJECTIONS } from '../support/civic-projections.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { noteMoves } from '../support/moves.ts';
import { checkReading, expectedFeed, readPage } from '../support/history-checker.ts';

const MAX_BYTES = 50_000_000;

let server: TestDatabase;
let civic: TestCivic;
/** The same database with the connections of another process. */
let other: TestCivic;

beforeAll(async () => {
  server = await startTestDatabase();
  const options = { leaseMs: 400, idleInTransactionMs: 200, batchSize: 20 };
  civic = await openTestCivic(server.url, options);
  other = await openTestCivic(server.url, options);
  await noteMoves(civic);
});

afterAll(async () => {
  await civic?.close();
  await other?.close();
  await server?.close();
});

/** The projection with a callback between its fold and the commit. */
const afterFold = (
  projection: Projection,
  hook: (batch: readonly StoredEvent[]) => Promise<void> | void,
): Projection => ({
  ...projection,
  fold: async (batch, context) => {
    await projection.fold(batch, context);
    await hook(batch);
  },
});

async function checkFeed(reader: TestCivic = civic) {
  const expected = await expectedFeed(civic.log);
  let cursor: string | undefined;
  const items = [];
  for (;;) {
    const page = readPage(
      (await reader.changes({ ...(cursor === undefined ? {} : { cursor }), limit: 500, maxResponseBytes: MAX_BYTES }))
        .text,
    );
    items.push(...page.items);
    cursor = page.nextCursor;
    if (!page.hasMore) break;
  }
  checkReading(expected, items, { from: 0, to: expected.length, resource: null });
}

/** The actions of the owners of a generation, in order: no owner may act after a later one. */
async function checkOwners(generation: number) {
  const rows = await civic.rows('select token, checkpoint from civic.owners where generation = $1 order by id', [
    generation,
  ]);
  let [token, checkpoint] = [0, ''];
  for (const row of rows) {
    expect(Number(row[0])).toBeGreaterThanOrEqual(token);
    expect(row[1]! >= checkpoint).toBe(true);
    [token, checkpoint] = [Number(row[0]), row[1]!];
  }
  return token;
}

test('a batch that is rolled back leaves no position and no gap, and the next one has the same numbers', async () => {
  await withSeed(async (random) => {
    let failures = 0;
    const failing = afterFold(recordHistory, () => {
      if (random() > 0.3) return;
      failures += 1;
      throw random() < 0.7
        ? new DatabaseUnavailable('injected after the fold')
        : new DatabaseUnavailable('injected before the commit');
    });
    const projector = civic.startProjector([failing, snapshots, recordReferences], { batchSize: 10 });
    for (let round = 0; round < 8; round++) await civic.writer.write(randomChanges(random, 20), {});
    await civic.caughtUp();
    expect(failures).toBeGreaterThan(0);
    await checkFeed();
    await projector.stop();
  });
});

test('a batch whose fold fails as a whole is folded event by event, none twice', async () => {
  await withSeed(async (random) => {
    const failing = afterFold(recordHistory, (batch) => {
      if (batch.length > 1) throw new Error('only single events can be folded');
    });
    const projector = civic.startProjector([failing, snapshots]);
    await civic.writer.write(randomChanges(random, 60), {});
    await civic.caughtUp();
    await checkFeed();
    await projector.stop();
  });
});

test('read models of a dead owner are taken over after the clock was set back, and its leases stop no move to another log', async () => {
  const read = [recordHistory, snapshots, recordReferences];
  const before = civic.startProjector(read);
  await civic.caughtUp();
  await before.stop();
  await civic.rows(`update civic.generations set owner = 'dead', lease_until = $1 where state = 'live' returning 1`, [
    Date.now() + 3_600_000,
  ]);
  expect(await createLogMoves(civic.database.transactor).listOwned(Date.now())).toEqual([]);
  const projector = civic.startProjector(read);
  await civic.writer.write([upsert('topics', 902, 1)], {});
  await civic.caughtUp();
  await checkFeed();
  await projector.stop();
});

/** A suspended process: its clock and timers are stopped, and it sends nothing until it continues. */
function suspendable() {
  let resume: () => void = () => undefined;
  let suspended: Promise<void> | undefined;
  let at = 0;
  const clock: Clock = {
    now: () => (suspended === undefined ? Date.now() : at),
    sleep: async (milliseconds, signal) => {
      await systemClock.sleep(milliseconds, signal);
      await suspended;
    },
  };
  const transactor: Transactor = {
    transaction: async (work) => {
      await suspended;
      return civic.database.transactor.transaction(work);
    },
  };
  return {
    clock,
    transactor,
    get waiting() {
      return suspended;
    },
    suspend() {
      at = Date.now();
      suspended = new Promise((resolve) => (resume = resolve));
    },
    resume() {
      suspended = undefined;
      resume();
    },
  };
}

test.each(['between two batches', 'between fold and commit'])(
  'a projector that was suspended %s past its lease commits nothing after another took over',
  async (where) => {
    const zombie = suspendable();
    let folded = 0;
    const hooked = afterFold(recordHistory, async () => {
      folded += 1;
      if (where === 'between fold and commit' && folded === 3) zombie.suspend();
      await zombie.waiting;
    });
    const random = randomFrom(testSeed());
    const owner = `zombie ${where}`;
    const first = civic.startProjector([hooked], {
      owner,
      leaseClock: zombie.clock,
      transactor: zombie.transactor,
      batchSize: 5,
    });
    await civic.writer.write([upsert('topics', where === 'between two batches' ? 900 : 901, below(random, 1000))], {});
    await untilTrue('the first owner has folded', () => folded > 0);
    if (where === 'between two batches') zombie.suspend();
    await civic.writer.write(randomChanges(random, 40, 100), {});
    // A short lease could end and be acquired again on a busy machine.
    const second = other.startProjector([recordHistory, snapshots], { owner: `heir ${where}`, leaseMs: LONG_LEASE_MS });
    await other.caughtUp();
    const commits = async () =>
      Number((await civic.rows('select count(*) from civic.owners where owner = $1', [owner]))[0]![0]);
    const before = await commits();
    zombie.resume();
    await civic.writer.write(randomChanges(random, 40, 100), {});
    await other.caughtUp();
    await first.stop();
    expect(await commits()).toBe(before);
    // It did not try either: an attempt that the database refuses counts here.
    expect(civic.logger.errors).toEqual([]);
    const [heir] = await civic.rows('select count(*) from civic.owners where owner = $1', [`heir ${where}`]);
    expect(Number(heir![0])).toBeGreaterThan(1);
    await checkOwners(await civic.live(recordHistory.name));
    await checkFeed(other);
    await second.stop();
  },
);

test('an owner whose backends are terminated continues without a gap, and no other owner folds in between', async () => {
  const killer = new Client({ connectionString: server.url });
  await killer.connect();
  const random = randomFrom(testSeed());
  let kills = 0;
  const hooked = afterFold(recordHistory, async () => {
    if (kills >= 5) return;
    kills += 1;
    await killer.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'civic-transactions' and state = 'idle in transaction'`);
  });
  const first = civic.startProjector([hooked, snapshots], { batchSize: 5 });
  const second = other.startProjector([recordHistory, snapshots], { batchSize: 5 });
  for (let round = 0; round < 6; round++) await civic.writer.write(randomChanges(random, 20, 40), {});
  await civic.caughtUp();
  await checkOwners(await civic.live(recordHistory.name));
  await checkFeed();
  await first.stop();
  await second.stop();
  await killer.end();
});

test('of two projectors that start together exactly one owns each generation, ten times', async () => {
  const fresh = Array.from(
    { length: 10 },
    (_, round): Projection => ({ ...snapshots, name: `snapshots_round_${round}` }),
  );
  for (const projection of fresh) {
    // A lease longer than any pause of a busy machine.
    const lasting = { leaseMs: LONG_LEASE_MS };
    const [first, second] = [civic.startProjector([projection], lasting), other.startProjector([projection], lasting)];
    await civic.caughtUp(undefined, [projection.name]);
    const rows = (await civic.generations.list()).filter(({ projection: name }) => name === projection.name);
    expect(rows.map(({ state, token }) => ({ state, token }))).toEqual([{ state: 'live', token: 1 }]);
    await Promise.all([first.stop(), second.stop()]);
  }
});

test('an event that fails pauses its projection with reason and id, others continue, and a retry folds it', async () => {
  let poisoned = true;
  const poison = recordId('documents', 7000);
  const hooked = afterFold(recordReferences, (batch) => {
    if (poisoned && batch.some(({ stream }) => stream.endsWith(poison))) throw new Error('this event cannot be folded');
  });
  const projector = civic.startProjector([recordHistory, snapshots, hooked]);
  await civic.caughtUp(undefined, [recordReferences.name]);
  await civic.writer.write(
    [upsert('documents', 6999, 1), upsert('documents', 7000, 1), upsert('documents', 7001, 1)],
    {},
  );
  await civic.caughtUp();
  const paused = async () =>
    (await civic.generations.list()).find(
      ({ projection, state }) => projection === recordReferences.name && state === 'live',
    )!;
  await untilTrue('the projection is paused', async () => (await paused()).pausedReason !== null);
  const [event] = await civic.log.readStream(`documents-${poison}`, NO_STREAM, 1);
  expect(await paused()).toMatchObject({
    pausedReason: 'this event cannot be folded',
    pausedEvent: event!.id,
    owner: null,
  });
  const referring = async (number: number) =>
    (
      await civic.rows(`select 1 from civic.record_references_g${(await paused()).generation} where record_id = $1`, [
        recordId('documents', number),
      ])
    ).length;
  expect([await referring(6999), await referring(7000), await referring(7001)]).toEqual([1, 0, 0]);
  const handles = new Map(ALL_PROJECTIONS.map(({ name, handles }) => [name, handles]));
  const health = await createReadCivicHealth({
    ...civic,
    history: { doubt: () => null },
    leaseClock: systemClock,
    handles,
    processorStore: { listReactors: async () => [] },
    follows: new Map(),
    unclassified: { count: async () => 0 },
    deadlineMs: 20_000,
  })();
  expect(health.status).toBe('degraded');
  expect(health.pipeline.projections.find(({ name }) => name === recordReferences.name)).toMatchObject({
    state: 'paused',
  });
  expect(JSON.stringify(health)).not.toContain('cannot be folded');

  await civic.generations.resume((await paused()).generation);
  projector.nudge();
  await untilTrue('it is paused again', async () => (await paused()).pausedReason !== null);
  poisoned = false;
  await civic.generations.resume((await paused()).generation);
  projector.nudge();
  await civic.caughtUp(undefined, [recordReferences.name]);
  expect([await referring(6999), await referring(7000), await referring(7001)]).toEqual([1, 1, 1]);
  await projector.stop();
});

test('an event that an operator skipped stays skipped in every rebuild', async () => {
  const poison = recordId('documents', 8000);
  const hooked = afterFold(recordReferences, (batch) => {
    if (batch.some(({ stream }) => stream.endsWith(poison))) throw new Error('this event can never be folded');
  });
  const projector = civic.startProjector([recordHistory, snapshots, hooked]);
  await civic.writer.write([upsert('documents', 8000, 1), upsert('documents', 8001, 1)], {});
  const row = async () =>
    (await civic.generations.list()).find(
      ({ projection, state }) => projection === recordReferences.name && state === 'live',
    )!;
  await untilTrue('the projection is paused', async () => (await row()).pausedReason !== null);
  const { pausedEvent, generation } = await row();
  const commandId = civic.identifiers.next();
  await civic.log.append({
    stream: projectionStream(recordReferences.name),
    expectedRevision: NO_STREAM,
    events: [
      {
        id: civic.identifiers.next(),
        type: 'ProjectionEventSkipped',
        schemaVersion: 1,
        data: canonicalJson({ projection: recordReferences.name, eventId: pausedEvent, reason: 'test' }),
        metadata: { commandId },
        time: civic.clock.now(),
      },
    ],
  });
  await civic.generations.resume(generation);
  projector.nudge();
  await civic.caughtUp(undefined, [recordReferences.name]);
  const building = await civic.generations.create(hooked, 'building', Date.now());
  projector.nudge();
  await untilTrue('the rebuild serves', async () => (await row()).generation === building.generation);
  expect(
    await civic.rows(`select record_id from civic.record_references_g${building.generation} where record_id = $1`, [
      poison,
    ]),
  ).toEqual([]);
  expect((await row()).pausedReason).toBeNull();
  await projector.stop();
});
