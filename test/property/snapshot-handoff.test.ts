import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFeedHead } from '../../queries/feed/feed-head.ts';
import { RESOURCES } from '../../domain/records/resources.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { below, randomChanges, randomFrom, recordId, remove, upsert } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { expectedFeed, linesOf, positionOf, stateAt, totalsOf } from '../support/history-checker.ts';
import { testRuns } from '../support/test-runs.ts';

const MAX_BYTES = 50_000_000;
let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic({ batchSize: 15 });
  civic.startProjector();
  await civic.caughtUp();
});
afterAll(() => civic?.close());

/** A mirror of a customer, built only from the answers of the three operations. */
async function openMirror(limit: () => number) {
  const state = new Map<string, string>();
  const accountId = civic.identifiers.next();
  const snapshot = await civic.takeSnapshot({ accountId, keyId: accountId, requestId: 'test' });
  for (const resource of RESOURCES) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { snapshotId } = snapshot;
      const position = cursor === undefined ? {} : { cursor };
      const { text } = await civic.snapshotPage({
        accountId,
        snapshotId,
        resource,
        limit: limit(),
        maxResponseBytes: MAX_BYTES,
        ...position,
      });
      const page = JSON.parse(text) as { data: { items: { id: string }[] }; meta: { nextCursor: string | null } };
      for (const item of page.data.items) state.set(`${resource} ${item.id}`, JSON.stringify(item));
      cursor = page.meta.nextCursor;
    }
  }
  expect(totalsOf(state)).toEqual({ counts: snapshot.counts, digests: snapshot.digests });
  let cursor = snapshot.boundaryCursor;
  return {
    state,
    get position() {
      return positionOf(cursor);
    },
    /** Applies one page of changes and returns whether there are more. */
    async follow(): Promise<boolean> {
      const { text } = await civic.changes({ cursor, limit: limit(), maxResponseBytes: MAX_BYTES });
      const page = JSON.parse(text) as {
        data: { items: { resource: string; operation: string; recordId: string; data?: object }[] };
        meta: { nextCursor: string; hasMore: boolean };
      };
      for (const { resource, operation, recordId, data } of page.data.items) {
        expect(data === undefined).toBe(operation === 'remove');
        if (operation === 'remove') expect(state.delete(`${resource} ${recordId}`)).toBe(true);
        else state.set(`${resource} ${recordId}`, JSON.stringify(data));
      }
      cursor = page.meta.nextCursor;
      return page.meta.hasMore;
    },
  };
}

test('a snapshot taken during writes plus the later changes equal the service at every later position', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 3 }), async (seed, writers) => {
      const random = randomFrom(seed);
      const writing = Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          for (let round = 0; round < 8; round++) {
            await civic.writer.write(randomChanges(random, 1 + below(random, 20), 15), {});
            // The same id is removed and published again, in one call and over several.
            const number = below(random, 15);
            await civic.writer.write(
              [upsert('topics', number, round), remove('topics', number), upsert('topics', number, 90 + writer)],
              {},
            );
          }
        }),
      );
      const mirror = await openMirror(() => 1 + below(random, 25));
      const samples = [{ position: mirror.position, state: new Map(mirror.state) }];
      const sample = () => samples.push({ position: mirror.position, state: new Map(mirror.state) });
      for (let page = 0; page < 10; page++) {
        await mirror.follow();
        sample();
      }
      await writing;
      await civic.caughtUp();
      while (await mirror.follow()) sample();
      sample();
      const expected = await expectedFeed(civic.log);
      for (const { position, state } of samples) {
        expect(linesOf(state)).toEqual(linesOf(stateAt(expected, position)));
      }
      const { position, counts, digests } = await readFeedHead(civic.reads);
      expect(mirror.position).toBe(position);
      expect(totalsOf(mirror.state)).toEqual({ counts, digests });
      expect(mirror.state.has(`topics ${recordId('topics', 0)}`)).toBe(
        stateAt(expected, position).has(`topics ${recordId('topics', 0)}`),
      );
    }),
    { numRuns: testRuns(3), seed: testSeed() },
  );
});
