import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { openTestCivic, type TestCivic, untilTrue } from '../support/civic.ts';
import { appendAccount } from '../support/civic-accounts.ts';
import { type FoldingChild, startFolding } from '../support/civic-children.ts';
import { ALL_PROJECTIONS } from '../support/civic-projections.ts';
import { below, randomChanges, withSeed } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { dumpTables, foldAtRandom, hashOf } from '../support/projection-spec.ts';
import { checkWholeFeed } from '../support/whole-feed.ts';

const KILLS = 24;
const NAMES = ALL_PROJECTIONS.map(({ name }) => name);

let server: TestDatabase;
let civic: TestCivic;
const children = new Set<FoldingChild>();

const startChild = (batchSize: number): FoldingChild => {
  const child = startFolding('run', server.url, batchSize);
  children.add(child);
  return child;
};

const kill = async (child: FoldingChild) => {
  children.delete(child);
  await child.kill();
};

beforeAll(async () => {
  server = await startTestDatabase();
  civic = await openTestCivic(server.url, { leaseMs: 400 });
  await civic.rows(
    `create table civic.owners (id bigint generated always as identity, generation int, owner text, token bigint, checkpoint text)`,
  );
  await civic.rows(`create function civic.note_owner() returns trigger language plpgsql as $$ begin
    insert into civic.owners (generation, owner, token, checkpoint) values (new.generation, new.owner, new.token, new.checkpoint);
    return new; end $$`);
  await civic.rows(`create trigger note_owner after update on civic.generations for each row execute function civic.note_owner()`);
});

afterAll(async () => {
  for (const child of children) await child.kill();
  await civic?.close();
  await server?.close();
});

/** No owner did anything after a later one had come, and no checkpoint went back. */
const checkOwners = async () => {
  const rows = await civic.rows('select generation, token, checkpoint from civic.owners order by id');
  const seen = new Map<string, { token: number; checkpoint: string }>();
  for (const [generation, token, checkpoint] of rows) {
    const last = seen.get(generation!) ?? { token: 0, checkpoint: '' };
    expect(Number(token)).toBeGreaterThanOrEqual(last.token);
    expect(checkpoint! >= last.checkpoint).toBe(true);
    seen.set(generation!, { token: Number(token), checkpoint: checkpoint! });
  }
};

test(`T7 projectors that are killed ${KILLS} times at random moments while events arrive leave the tables of a run without kills`, async () => {
  await withSeed(async (random) => {
    const batchSize = () => 1 + below(random, 15);
    const alive = [startChild(batchSize()), startChild(batchSize())];
    const done = new AbortController();
    const writing = (async () => {
      for (let round = 0; !done.signal.aborted; round++) {
        civic.clock.advance(below(random, 1000));
        await civic.writer.write(randomChanges(random, 20, 30), {});
        if (round % 10 === 0) await appendAccount(civic.log, round, random);
        await civic.clock.sleep(below(random, 20));
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
      done.abort();
      await writing;
    }
    await civic.settled(undefined, NAMES);
    await checkWholeFeed(civic);
    await checkOwners();
    for (const projection of ALL_PROJECTIONS) {
      const live = await dumpTables(civic.database, projection, await civic.live(projection.name));
      const generation = await foldAtRandom(civic.dependencies(), projection, random);
      expect(await dumpTables(civic.database, projection, generation)).toEqual(live);
    }
    for (const child of alive) await kill(child);
  });
});

test('T8 a replay from zero in another process, in another time zone and language, makes the same tables byte by byte', async () => {
  civic.startProjector();
  await civic.settled(undefined, NAMES);
  const child = startFolding('replay', server.url, 7, { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' });
  children.add(child);
  const hashes = JSON.parse(await child.firstLine) as Record<string, string>;
  for (const projection of ALL_PROJECTIONS) {
    const live = await dumpTables(civic.database, projection, await civic.live(projection.name));
    expect([projection.name, hashes[projection.name]]).toEqual([projection.name, hashOf(live)]);
  }
});

test('T15 a projector that is stopped by SIGSTOP past its lease commits nothing once it goes on and another has taken over', async () => {
  await withSeed(async (random) => {
    await civic.close();
    civic = await openTestCivic(server.url, { leaseMs: 400 });
    const child = startChild(3);
    await child.firstLine;
    const owner = `child-${child.process.pid}`;
    const commits = async () => Number((await civic.rows('select count(*) from civic.owners where owner = $1', [owner]))[0]![0]);
    const done = new AbortController();
    const writing = (async () => {
      while (!done.signal.aborted) await civic.writer.write(randomChanges(random, 10, 30), {});
    })();
    await untilTrue('the child folds', async () => (await commits()) > 20);
    child.process.kill('SIGSTOP');
    const heir = civic.startProjector();
    await untilTrue('another owner has taken every generation over', async () =>
      (await civic.generations.list()).every(({ state, owner: holder }) => state !== 'live' || (holder !== null && holder !== owner)),
    );
    const before = await commits();
    child.process.kill('SIGCONT');
    await civic.settled();
    expect(await commits()).toBe(before);
    // Once the heir has gone it takes over by itself: so it has come to know that it was no longer the owner.
    await heir.stop();
    await untilTrue('the child owns again', async () => (await commits()) > before + 20);
    done.abort();
    await writing;
    await civic.settled(undefined, NAMES);
    await checkOwners();
    await checkWholeFeed(civic);
    expect(
      (await civic.generations.list()).filter(({ projection, state }) => projection === recordHistory.name && state === 'live'),
    ).toHaveLength(1);
    await kill(child);
  });
});
