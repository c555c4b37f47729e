import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { openTestCivic, type TestCivic, untilTrue } from '../support/civic.ts';
import { type FoldingChild, startFolding } from '../support/civic-children.ts';
import { ALL_PROJECTIONS } from '../support/civic-projections.ts';
import { below, randomChanges, randomFrom } from '../support/civic-records.ts';
import { testSeed, withSeed } from '../support/test-seed.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { rebuildsOf } from '../support/rebuilds.ts';
import { untilReached } from '../support/until-reached.ts';
import { testRuns } from '../support/test-runs.ts';

const NAMES = ALL_PROJECTIONS.map(({ name }) => name);
const INTERRUPTIONS = testRuns(3);

let server: TestDatabase;
let civic: TestCivic;
let rebuilds: ReturnType<typeof rebuildsOf>;
const children = new Set<FoldingChild>();

async function startChild(batchSize: number): Promise<FoldingChild> {
  const child = startFolding('run', server.url, batchSize);
  children.add(child);
  await child.firstLine;
  return child;
}
async function kill(child: FoldingChild) {
  children.delete(child);
  await child.kill();
}

beforeAll(async () => {
  server = await startTestDatabase();
  civic = await openTestCivic(server.url, { leaseMs: 400 });
  rebuilds = rebuildsOf(civic);
  const random = randomFrom(testSeed());
  for (let round = 0; round < 25; round++) await civic.writer.write(randomChanges(random, 40, 60), {});
  const projector = civic.startProjector();
  await civic.caughtUp(undefined, NAMES);
  await projector.stop();
});

afterAll(async () => {
  for (const child of children) await child.kill();
  await civic?.close();
  await server?.close();
});

test(`a rebuild killed, paused and resumed ${INTERRUPTIONS} times loses no step and equals the live one`, async () => {
  const live = await civic.live(recordHistory.name);
  const whole = await rebuilds.hashOf(recordHistory, live);
  await withSeed(async (random) => {
    const { generation } = await rebuilds.rebuild(recordHistory, 'held');
    let last = { checkpoint: '', folded: 0 };
    const look = async () => {
      const row = (await rebuilds.row(generation))!;
      expect(row.state).toBe('building');
      expect(row.checkpoint >= last.checkpoint).toBe(true);
      expect(row.folded).toBeGreaterThanOrEqual(last.folded);
      const [rows] = await civic.rows(
        `select coalesce(max(position), 0) from ${RECORD_HISTORY.at(generation).history}`,
      );
      expect(Number(rows![0])).toBeGreaterThanOrEqual(last.folded > 1 ? 1 : 0);
      last = row;
      return row;
    };
    for (let times = 0; times < INTERRUPTIONS; times++) {
      const child = await startChild(1 + below(random, 6));
      const { folded } = await look();
      await untilTrue('it goes on', async () => (await look()).folded > folded || last.folded > 990);
      await civic.clock.sleep(below(random, 60));
      if (random() < 0.4) {
        await rebuilds.decide(generation, 'pause');
        await kill(child);
        const paused = await look();
        expect(paused.operatorPausedAt).not.toBeNull();
        const other = await startChild(5);
        await civic.caughtUp(undefined, NAMES);
        expect((await look()).checkpoint).toBe(paused.checkpoint);
        await rebuilds.decide(generation, 'resume');
        await kill(other);
      } else await kill(child);
      expect(await civic.live(recordHistory.name)).toBe(live);
    }
    const child = await startChild(50);
    await rebuilds.ready(generation);
    await rebuilds.decide(generation, 'switch');
    await rebuilds.serves(generation);
    await kill(child);
    expect(await rebuilds.hashOf(recordHistory, generation)).toBe(whole);
    expect(await rebuilds.hashOf(recordHistory, live)).toBe(whole);
  });
});

test('an owner frozen during a build commits nothing after a cancel, and the live generation is unchanged', async () => {
  const live = await civic.live(recordHistory.name);
  const child = await startChild(1);
  const { generation } = await rebuilds.rebuild(recordHistory);
  await untilReached('the build', 21, async () => (await rebuilds.row(generation))!.folded);
  child.process.kill('SIGSTOP');
  // Its open transaction ends by timeout; then the decision succeeds.
  const cancelled = (await rebuilds.decide(generation, 'cancel'))!;
  expect(cancelled).toMatchObject({ state: 'retired', owner: null });
  const whole = await rebuilds.hashOf(recordHistory, live);
  child.process.kill('SIGCONT');
  // It continues: it acquires its other leases again and folds new events.
  const random = randomFrom(testSeed());
  await civic.writer.write(randomChanges(random, 10, 60), {});
  await civic.caughtUp(undefined, NAMES);
  expect((await rebuilds.row(generation)) ?? cancelled).toEqual(cancelled);
  const [rows] = await civic.rows(`select coalesce(max(position), 0) from ${RECORD_HISTORY.at(generation).history}`);
  expect(Number(rows![0])).toBeLessThanOrEqual(cancelled.folded);
  expect(await civic.live(recordHistory.name)).toBe(live);
  expect(await rebuilds.hashOf(recordHistory, live)).not.toBe(whole);
  await kill(child);
});
