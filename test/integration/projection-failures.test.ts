import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { recordKeys } from '../../projections/record-keys/projection.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import { NO_STREAM, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { Generation } from '../../domain/ports/generations.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import type { Projector } from '../../src/processors/projector/projector.ts';
import { LONG_LEASE_MS, openTestCivic, type TestCivic, untilTrue } from '../support/civic.ts';
import { recordId, upsert } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

const BATCH = 20;
const FOLDED = [recordHistory, recordReferences, recordKeys];
const NAMES = FOLDED.map(({ name }) => name);

let server: TestDatabase;
let civic: TestCivic;
let projector: Projector;
/** Runs in the transaction after the fold of record references. */
let afterFold: (batch: readonly StoredEvent[], context: FoldContext) => Promise<void> | void;
const hooked = (projection: Projection, hook: typeof afterFold): Projection => ({
  ...projection,
  fold: async (batch, context) => {
    await projection.fold(batch, context);
    await hook(batch, context);
  },
});

beforeAll(async () => {
  server = await startTestDatabase();
});
afterAll(async () => await server?.close());

beforeEach(async () => {
  afterFold = () => undefined;
  civic = await openTestCivic(server.url, { batchSize: BATCH });
  projector = civic.startProjector([
    recordHistory,
    hooked(recordReferences, (...args) => afterFold(...args)),
    recordKeys,
  ]);
  await civic.writer.write(documents(1), {});
  await civic.caughtUp(undefined, NAMES);
});
afterEach(async () => {
  await projector.stop();
  await civic.close();
});

let topics = 0;
const documents = (count: number) => Array.from({ length: count }, () => upsert('documents', (topics += 1), 1));
const newestId = () => recordId('documents', topics);

const liveOf = async ({ name }: Projection) =>
  (await civic.generations.list()).find(({ projection, state }) => projection === name && state === 'live')!;

/** Rows in each read model for each record, in the order of the records. */
async function rowsOf(ids: readonly string[]): Promise<Record<string, readonly number[]>> {
  const counts = FOLDED.map(async (projection) => {
    const [table] = projection.tables((await liveOf(projection)).generation);
    const each = ids.map(async (id) =>
      Number((await civic.rows(`select count(*) from ${table} where record_id = $1`, [id]))[0]![0]),
    );
    return [projection.name, await Promise.all(each)];
  });
  return Object.fromEntries(await Promise.all(counts));
}

test.each([
  ['throws', () => Promise.reject(new Error('this event cannot be folded'))],
  [
    'fails in the database',
    async ({ transaction }: FoldContext) => void (await transaction.query({ text: 'select 1 / 0', values: [] })),
  ],
])(
  'an event whose fold %s in one projection pauses it alone: the others fold the whole batch once',
  async (_, fail) => {
    const changes = documents(3);
    const [before, poison, after] = changes.map(({ id }) => id);
    afterFold = (batch, context) => (batch.some(({ stream }) => stream.endsWith(poison!)) ? fail(context) : undefined);
    await civic.writer.write(changes, {});
    await civic.caughtUp(undefined, [recordHistory.name, recordKeys.name]);
    await untilTrue('the projection is paused', async () => (await liveOf(recordReferences)).pausedReason !== null);
    const [event] = await civic.log.readStream(`documents-${poison}`, NO_STREAM, 1);
    expect(await liveOf(recordReferences)).toMatchObject({ pausedEvent: event!.id, owner: null });
    expect(await rowsOf([before!, poison!, after!])).toEqual({
      [recordHistory.name]: [1, 1, 1],
      [recordReferences.name]: [1, 0, 0],
      [recordKeys.name]: [1, 1, 1],
    });
    afterFold = () => undefined;
    await civic.generations.resume((await liveOf(recordReferences)).generation);
    projector.nudge();
    await civic.caughtUp(undefined, NAMES);
    expect((await rowsOf([before!, poison!, after!]))[recordReferences.name]).toEqual([1, 1, 1]);
  },
);

test('a projection that lost its lease commits nothing, and the others commit theirs', async () => {
  const { generation, checkpoint } = await liveOf(recordReferences);
  await civic.rows(
    `update civic.generations set owner = 'another', token = token + 1, lease_until = $2 where generation = $1 returning 1`,
    [generation, Date.now() + LONG_LEASE_MS],
  );
  await civic.writer.write(documents(1), {});
  await civic.caughtUp(undefined, [recordHistory.name, recordKeys.name]);
  expect(await rowsOf([newestId()])).toEqual({
    [recordHistory.name]: [1],
    [recordReferences.name]: [0],
    [recordKeys.name]: [1],
  });
  expect(await liveOf(recordReferences)).toMatchObject({ checkpoint, owner: 'another' });
  await civic.rows('update civic.generations set owner = null, lease_until = 0 where generation = $1 returning 1', [
    generation,
  ]);
  projector.nudge();
  await civic.caughtUp(undefined, NAMES);
  expect((await rowsOf([newestId()]))[recordReferences.name]).toEqual([1]);
});

test('a transaction that is cut off before its commit moves no checkpoint, and the batch is folded once afterwards', async () => {
  const before = await liveOf(recordReferences);
  let afterCut: Promise<Generation> | undefined;
  afterFold = async (_, { transaction }) => {
    if (afterCut !== undefined) return;
    const cut = Promise.withResolvers<Generation>();
    afterCut = cut.promise;
    await transaction
      .query({ text: 'select pg_terminate_backend(pg_backend_pid())', values: [] })
      .catch(() => undefined);
    cut.resolve(await liveOf(recordReferences));
  };
  await civic.writer.write(documents(5), {});
  await civic.caughtUp(undefined, NAMES);
  expect((await afterCut!).checkpoint).toBe(before.checkpoint);
  const ids = Array.from({ length: 5 }, (_, index) => recordId('documents', topics - index));
  const once = [1, 1, 1, 1, 1];
  expect(await rowsOf(ids)).toEqual({
    [recordHistory.name]: once,
    [recordReferences.name]: once,
    [recordKeys.name]: once,
  });
});

test('a projection that folds slowly delays no other', async () => {
  const slow = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  afterFold = async () => {
    reached.resolve();
    await slow.promise;
  };
  await civic.writer.write(documents(1), {});
  await reached.promise;
  await civic.writer.write(documents(1), {});
  await civic.caughtUp(undefined, [recordHistory.name, recordKeys.name]);
  expect((await rowsOf([newestId()]))[recordReferences.name]).toEqual([0]);
  slow.resolve();
  await civic.caughtUp(undefined, NAMES);
  expect((await rowsOf([newestId()]))[recordReferences.name]).toEqual([1]);
});
