import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECTIONS } from '../../src/app/composition.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { appendAccount } from '../support/civic-accounts.ts';
import { appendReports } from '../support/civic-reports.ts';
import { below, randomChanges } from '../support/civic-records.ts';
import { withSeed } from '../support/test-seed.ts';
import { appendSubscriptions } from '../support/civic-subscriptions.ts';
import { dumpTables, eventsOf, foldAtRandom } from '../support/projection-spec.ts';

const NAMES = PROJECTIONS.map(({ name }) => name);
let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic();
  civic.startProjector(PROJECTIONS);
  await civic.caughtUp();
  await withSeed(async (random) => {
    for (let round = 0; round < 25; round++) {
      civic.clock.advance(below(random, 5000) - 1000);
      await civic.writer.write(randomChanges(random, 30, 15), {});
      if (round % 2 === 0) await appendAccount(civic.log, round, random);
      if (round % 3 === 0) await appendSubscriptions(civic.log, round, random);
      await appendReports(civic.log, round, random);
      if (round % 5 === 0) {
        const id = civic.identifiers.next();
        await civic.takeSnapshot({ accountId: id, keyId: id, requestId: 'test' });
      }
    }
  });
  await civic.caughtUp(undefined, NAMES);
});
afterAll(() => civic?.close());

test.each(PROJECTIONS)(
  '$name: batches of any size, each delivered one to three times, leave the same tables',
  async (projection) => {
    await withSeed(async (random) => {
      const live = await dumpTables(civic.database, projection, await civic.live(projection.name));
      expect((await eventsOf(civic, projection)).length).toBeGreaterThan(4);
      for (let run = 0; run < 3; run++) {
        const generation = await foldAtRandom(civic.dependencies(), projection, random);
        expect(await dumpTables(civic.database, projection, generation)).toEqual(live);
      }
    });
  },
);
