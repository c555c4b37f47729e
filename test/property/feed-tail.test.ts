import * as fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Resource } from '../../domain/records/resources.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { below, randomChanges, randomFrom, SOME_RESOURCES } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { checkReading, expectedFeed, type ReadItem, readPage } from '../support/history-checker.ts';
import { testRuns } from '../support/test-runs.ts';

const MAX_BYTES = 5_000_000;
let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic({ batchSize: 7 });
  civic.startProjector();
  await civic.caughtUp();
});
afterAll(() => civic?.close());

interface Reading {
  readonly resource: Resource | null;
  readonly from: number;
  readonly items: ReadItem[];
  to: number;
}

/** Reads the feed from its head at random page sizes until `done` is set and a page is empty. */
async function tail(
  random: () => number,
  resource: Resource | null,
  start: { readonly position: number; readonly cursor: string },
  done: () => boolean,
): Promise<Reading> {
  let { cursor } = start;
  const reading: Reading = { resource, from: start.position, items: [], to: start.position };
  for (;;) {
    const last = done();
    const { text } = await civic.changes({
      cursor,
      ...(resource === null ? {} : { resource }),
      limit: 1 + below(random, 30),
      maxResponseBytes: MAX_BYTES,
    });
    const page = readPage(text);
    expect(page.next).toBeGreaterThanOrEqual(reading.to);
    reading.items.push(...page.items);
    reading.to = page.next;
    cursor = page.nextCursor;
    if (last && !page.hasMore) return reading;
  }
}

test('readers of a growing feed miss, repeat and reorder no position, at any page size and filter', async () => {
  const writersAndReaders = fc.record({
    seed: fc.integer(),
    writers: fc.integer({ min: 1, max: 4 }),
    readers: fc.array(fc.constantFrom<(Resource | null)[]>(null, null, ...SOME_RESOURCES), {
      minLength: 1,
      maxLength: 4,
    }),
  });
  await fc.assert(
    fc.asyncProperty(writersAndReaders, async ({ seed, writers, readers }) => {
      await civic.caughtUp();
      const start = await civic.atHead();
      const random = randomFrom(seed);
      let writing = true;
      const reading = readers.map((resource, index) => tail(randomFrom(seed + index), resource, start, () => !writing));
      await Promise.all(
        Array.from({ length: writers }, async () => {
          for (let round = 0; round < 6; round++) {
            civic.clock.advance(below(random, 20) - 5);
            await civic.writer.write(randomChanges(random, 1 + below(random, 25)), {});
          }
        }),
      );
      await civic.caughtUp();
      writing = false;
      const readings = await Promise.all(reading);
      const expected = await expectedFeed(civic.log);
      for (const { resource, from, to, items } of readings) {
        expect(to).toBe(expected.length);
        checkReading(expected, items, { from, to, resource });
      }
    }),
    { numRuns: testRuns(3), seed: testSeed() },
  );
});

test('no reader of the feed passes an open transaction, and nothing is skipped when it ends', async () => {
  await civic.caughtUp();
  const before = await expectedFeed(civic.log);
  const holder = new Client({ connectionString: civic.url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(
      `select civic.append_one($1, -1, gen_random_uuid(), 'RecordPublished', 1, $2, '{"commandId":"held"}', 1)`,
      ['topics-00000000-0000-4000-8000-0000000000aa', '{"id":"00000000-0000-4000-8000-0000000000aa","held":true}'],
    );
    const random = randomFrom(7);
    const others = Promise.all([1, 2, 3].map(() => civic.writer.write(randomChanges(random, 20, 100), {})));
    const { cursor } = await civic.atHead();
    for (let look = 0; look < 20; look++) {
      expect(readPage((await civic.changes({ cursor, limit: 100, maxResponseBytes: MAX_BYTES })).text)).toMatchObject({
        items: [],
        next: before.length,
      });
    }
    await holder.query('commit');
    await others;
    await civic.caughtUp();
    const page = readPage((await civic.changes({ cursor, limit: 500, maxResponseBytes: MAX_BYTES })).text);
    const after = await expectedFeed(civic.log);
    checkReading(after, page.items, { from: before.length, to: after.length, resource: null });
    expect(page.items[0]!.text).toContain('"held":true');
  } finally {
    await holder.end();
  }
});
