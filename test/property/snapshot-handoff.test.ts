import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFeedHead } from '../../queries/feed-head.ts';
import { RESOURCES } from '../../src/domain/records/resources.ts';
import { openTestCivic, type TestCivic } from '../support/civic.ts';
import { below, randomChanges, randomFrom, recordId, remove, testSeed, upsert } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { expectedFeed, positionOf, stateAt, totalsOf } from '../support/history-checker.ts';

const MAX_BYTES = 50_000_000;

let server: TestDatabase;
let civic: TestCivic;

beforeAll(async () => {
  server = await startTestDatabase();
  civic = await openTestCivic(server.url, { batchSize: 15 });
  civic.startProjector();
  await civic.settled();
});

afterAll(async () => {
  await civic?.close();
  await server?.close();
});

/** A customer's mirror: knows nothing but what the three operations answer. */
class Mirror {
  readonly state = new Map<string, string>();
  readonly limit: () => number;
  cursor = '';
  position = 0;
  constructor(limit: () => number) {
    this.limit = limit;
  }

  async load(): Promise<void> {
    const accountId = civic.identifiers.next();
    const { snapshotId, boundaryCursor, counts, digests } = await civic.takeSnapshot({ accountId, keyId: accountId, requestId: 'test' });
    for (const resource of RESOURCES) {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const given = cursor === undefined ? {} : { cursor };
        const { text } = await civic.snapshotPage({
          accountId,
          snapshotId,
          resource,
          limit: this.limit(),
          maxResponseBytes: MAX_BYTES,
          ...given,
        });
        const page = JSON.parse(text) as { data: { items: { id: string }[] }; meta: { nextCursor: string | null } };
        for (const item of page.data.items) this.state.set(`${resource} ${item.id}`, JSON.stringify(item));
        cursor = page.meta.nextCursor;
      }
    }
    this.cursor = boundaryCursor;
    this.position = positionOf(boundaryCursor);
    expect(totalsOf(this.state)).toEqual({ counts, digests });
  }

  async follow(): Promise<boolean> {
    const { text } = await civic.changes({ cursor: this.cursor, limit: this.limit(), maxResponseBytes: MAX_BYTES });
    const page = JSON.parse(text) as {
      data: { items: { resource: string; operation: string; recordId: string; data?: object }[] };
      meta: { nextCursor: string; hasMore: boolean };
    };
    for (const { resource, operation, recordId, data } of page.data.items) {
      expect(data === undefined).toBe(operation === 'remove');
      if (operation === 'remove') expect(this.state.delete(`${resource} ${recordId}`)).toBe(true);
      else this.state.set(`${resource} ${recordId}`, JSON.stringify(data));
    }
    this.cursor = page.meta.nextCursor;
    this.position = positionOf(this.cursor);
    return page.meta.hasMore;
  }
}

test('T12 a snapshot taken while others write, and the changes after its boundary, equal the service at every later position', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 3 }), async (seed, writers) => {
      const random = randomFrom(seed);
      const writing = Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          for (let round = 0; round < 8; round++) {
            await civic.writer.write(randomChanges(random, 1 + below(random, 20), 15), {});
            // The same id is removed and made again, in one call and over several.
            const number = below(random, 15);
            await civic.writer.write(
              [upsert('topics', number, round), remove('topics', number), upsert('topics', number, 90 + writer)],
              {},
            );
          }
        }),
      );
      const mirror = new Mirror(() => 1 + below(random, 25));
      await mirror.load();
      const samples = [{ position: mirror.position, state: new Map(mirror.state) }];
      const sample = () => samples.push({ position: mirror.position, state: new Map(mirror.state) });
      for (let page = 0; page < 10; page++) {
        await mirror.follow();
        sample();
      }
      await writing;
      await civic.settled();
      while (await mirror.follow()) sample();
      sample();
      const expected = await expectedFeed(civic.log);
      for (const { position, state } of samples) {
        expect([...state].toSorted()).toEqual([...stateAt(expected, position)].toSorted());
      }
      const { position, counts, digests } = await readFeedHead(civic.reads);
      expect(mirror.position).toBe(position);
      expect(totalsOf(mirror.state)).toEqual({ counts, digests });
      expect(mirror.state.has(`topics ${recordId('topics', 0)}`)).toBe(stateAt(expected, position).has(`topics ${recordId('topics', 0)}`));
    }),
    { numRuns: 8, seed: testSeed() },
  );
});
