import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { toPosition } from '../../infra/postgresql/log/log-position.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { LONG_LEASE_MS, openTestCivic, type TestCivic, untilTrue } from '../support/civic.ts';
import { appendAccount } from '../support/civic-accounts.ts';
import { type FoldingChild, startFolding } from '../support/civic-children.ts';
import { ALL_PROJECTIONS } from '../support/civic-projections.ts';
import { below, randomChanges } from '../support/civic-records.ts';
import { withSeed } from '../support/test-seed.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { checkMoves, noteMoves, tellMoves } from '../support/moves.ts';
import { dumpTables, foldAtRandom, hashOf } from '../support/projection-spec.ts';
import { untilReached } from '../support/until-reached.ts';
import { checkWholeFeed } from '../support/whole-feed.ts';
import { testRuns } from '../support/test-runs.ts';

const KILLS = testRuns(3);
const NAMES = ALL_PROJECTIONS.map(({ name }) => name);

let server: TestDatabase;
let civic: TestCivic;
const children = new Set<FoldingChild>();

function startChild(batchSize: number): FoldingChild {
  const child = startFolding('run', server.url, batchSize);
  children.add(child);
  return child;
}

async function kill(child: FoldingChild) {
  children.delete(child);
  await child.kill();
}

beforeAll(async () => {
  server = await startTestDatabase();
  civic = await openTestCivic(server.url, { leaseMs: 400 });
  await noteMoves(civic);
});

/** A child of a failed test would hold leases that the next test waits for. */
afterEach(async () => {
  for (const child of children) await kill(child);
});

afterAll(async () => {
  await civic?.close();
  await server?.close();
});

/** Like `withSeed`; a failure also reports checkpoints, moves and the last output of the children. */
const withMoves = (work: (random: () => number) => Promise<void>) =>
  withSeed(async (random) => {
    try {
      await work(random);
    } catch (error) {
      const outputs = [...children].map((child) => `child-${child.process.pid} said: ${child.told().join(' | ')}`);
      throw new Error([(error as Error).message, await tellMoves(civic), ...outputs].join('\n'), { cause: error });
    }
  });

/** The first position after a read model's checkpoint, or the end of the log. */
async function justAfter(name: string): Promise<Position> {
  const live = (await civic.generations.list()).find(
    ({ projection, state }) => projection === name && state === 'live',
  );
  const [head, next] = [await civic.log.head(), toPosition(Number(live?.checkpoint ?? 0) + 1)];
  return next < head ? next : head;
}

test(`projectors killed ${KILLS} times at random leave the same tables as a run without kills`, async () => {
  await withMoves(async (random) => {
    const batchSize = () => 1 + below(random, 15);
    const alive = [startChild(batchSize()), startChild(batchSize())];
    const stopping = new AbortController();
    const writing = (async () => {
      for (let round = 0; !stopping.signal.aborted; round++) {
        civic.clock.advance(below(random, 1000));
        await civic.writer.write(randomChanges(random, 20, 30), {});
        if (round % 10 === 0) await appendAccount(civic.log, round, random);
        await civic.clock.sleep(below(random, 100));
      }
    })();
    try {
      for (let kills = 0; kills < KILLS; kills++) {
        const index = below(random, alive.length);
        await alive[index]!.firstLine;
        await civic.clock.sleep(below(random, 250));
        await kill(alive[index]!);
        alive[index] = startChild(batchSize());
      }
    } finally {
      stopping.abort();
      await writing;
    }
    // Living children continue by themselves; the time for the rest, in batches as small as one event, depends on the
    // machine.
    for (const name of NAMES) await civic.caughtUp(await justAfter(name), [name]);
    const heir = civic.startProjector();
    for (const child of alive) {
      await civic.clock.sleep(below(random, 250));
      await kill(child);
    }
    await civic.caughtUp(undefined, NAMES);
    await heir.stop();
    await checkWholeFeed(civic);
    await checkMoves(civic);
    for (const projection of ALL_PROJECTIONS) {
      const live = await dumpTables(civic.database, projection, await civic.live(projection.name));
      const generation = await foldAtRandom(civic.dependencies(), projection, random);
      expect(await dumpTables(civic.database, projection, generation)).toEqual(live);
    }
  });
});

test('a replay from zero in another process, time zone and language makes byte-identical tables', async () => {
  civic.startProjector();
  await civic.caughtUp(undefined, NAMES);
  const child = startFolding('replay', server.url, 7, {
    TZ: 'Pacific/Kiritimati',
    LANG: 'tr_TR.UTF-8',
    LC_ALL: 'tr_TR.UTF-8',
  });
  children.add(child);
  const hashes = JSON.parse(await child.firstLine) as Record<string, string>;
  for (const projection of ALL_PROJECTIONS) {
    const live = await dumpTables(civic.database, projection, await civic.live(projection.name));
    expect([projection.name, hashes[projection.name]]).toEqual([projection.name, hashOf(live)]);
  }
});

test('a projector stopped by SIGSTOP beyond its lease commits nothing after another took over', async () => {
  await withMoves(async (random) => {
    await civic.close();
    civic = await openTestCivic(server.url, { leaseMs: 400 });
    const child = startChild(3);
    await child.firstLine;
    const owner = `child-${child.process.pid}`;
    const commits = async () =>
      Number((await civic.rows('select count(*) from civic.owners where owner = $1', [owner]))[0]![0]);
    const stopping = new AbortController();
    const writing = (async () => {
      while (!stopping.signal.aborted) {
        await civic.writer.write(randomChanges(random, 10, 30), {});
        await civic.clock.sleep(20);
      }
    })();
    try {
      await untilReached('the child folds', 21, commits);
      child.process.kill('SIGSTOP');
      // A short lease could end and be acquired again on a busy machine.
      const heir = civic.startProjector(ALL_PROJECTIONS, { leaseMs: LONG_LEASE_MS });
      await untilTrue('another owner has taken every generation over', async () =>
        (await civic.generations.list()).every(
          ({ state, owner: holder }) => state !== 'live' || (holder !== null && holder !== owner),
        ),
      );
      const before = await commits();
      child.process.kill('SIGCONT');
      await civic.caughtUp();
      expect(await commits()).toBe(before);
      // It takes over again after its successor has ended: so it knew that it was not the owner.
      await heir.stop();
      await untilReached('the child owns again', before + 21, commits);
    } finally {
      stopping.abort();
      await writing;
    }
    await civic.caughtUp(undefined, NAMES);
    await checkMoves(civic);
    await checkWholeFeed(civic);
    expect(
      (await civic.generations.list()).filter(
        ({ projection, state }) => projection === recordHistory.name && state === 'live',
      ),
    ).toHaveLength(1);
  });
});
