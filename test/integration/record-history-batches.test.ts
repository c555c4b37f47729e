import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyProjection } from '../../src/processors/projector/compare-with-live.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { randomChanges } from '../support/civic-records.ts';
import { withSeed } from '../support/test-seed.ts';

let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic({ batchSize: 1 });
});
afterAll(() => civic?.close());

test.each([124, 125, 126, 400])(
  'a batch of %i changes of a few records gives the rows that a batch for each change gives',
  async (batchSize) => {
    await withSeed(async (random) => {
      for (let times = 0; times < 10; times++) await civic.writer.write(randomChanges(random, 50), {});
    });
    civic.startProjector([recordHistory]);
    await civic.caughtUp(undefined, [recordHistory.name]);
    const { differences } = await verifyProjection(
      civic.dependencies({ batchSize }),
      recordHistory,
      () => undefined,
      new AbortController().signal,
    );
    expect(differences).toEqual([]);
  },
);
