import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/domain/canonical-json.ts';
import { decodeFeedCursor, encodeFeedCursor } from '../../src/domain/cursor.ts';
import { Rejection } from '../../src/domain/rejections.ts';
import { openTestCivic, type TestCivic } from '../support/civic.ts';
import { randomChanges, randomFrom, testSeed } from '../support/civic-records.ts';
import { copyTestDatabase, startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { expectedFeed, stateAt } from '../support/history-checker.ts';

const CUSTOMERS = 4;
const ACCOUNT = '5b0c3b0e-0f0e-4b57-9d3d-0a4a5b1f7f10';

const actions = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), count: fc.integer({ min: 1, max: 8 }), seed: fc.integer() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('poll' as const),
      who: fc.nat(CUSTOMERS - 1),
      limit: fc.integer({ min: 1, max: 6 }),
      pages: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('save' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('put back' as const), which: fc.nat(3) }) },
);
type Action = typeof actions extends fc.Arbitrary<infer Value> ? Value : never;

interface Customer {
  cursor: string | undefined;
  /** Data by resource and id. */
  held: Map<string, string>;
  /** Its cursors are those of an earlier version. */
  readonly isOld: boolean;
}

interface Item {
  readonly resource: string;
  readonly operation: 'upsert' | 'remove';
  readonly recordId: string;
  readonly data?: unknown;
}

/** A service whose database is put back as it was, again and again, while customers replicate. */
class World {
  readonly customers: readonly Customer[] = Array.from({ length: CUSTOMERS }, (_, index) => ({
    cursor: undefined,
    held: new Map<string, string>(),
    isOld: index === 0,
  }));
  told410 = 0;
  #database: TestDatabase;
  #civic: TestCivic;
  readonly #images: TestDatabase[] = [];

  private constructor(database: TestDatabase, civic: TestCivic) {
    this.#database = database;
    this.#civic = civic;
  }

  static async begin(): Promise<World> {
    const database = await startTestDatabase();
    return new World(database, await World.#open(database));
  }

  static async #open(database: TestDatabase): Promise<TestCivic> {
    const civic = await openTestCivic(database.url);
    civic.startProjector();
    await civic.settled();
    return civic;
  }

  async do(action: Action): Promise<void> {
    if (action.kind === 'write') {
      await this.#civic.writer.write(randomChanges(randomFrom(action.seed), action.count, 3), {});
      await this.#civic.settled();
    } else if (action.kind === 'poll') {
      for (let page = 0; page < action.pages; page += 1) await this.poll(this.customers[action.who]!, action.limit);
    } else if (action.kind === 'save') {
      await this.#civic.close();
      this.#images.push(await copyTestDatabase(this.#database));
      this.#civic = await World.#open(this.#database);
    } else await this.#putBack(action.which);
  }

  async #putBack(which: number): Promise<void> {
    const image = this.#images[which % Math.max(1, this.#images.length)];
    if (image === undefined) return;
    await this.#civic.close();
    await this.#database.close();
    this.#database = await copyTestDatabase(image);
    this.#civic = await World.#open(this.#database);
  }

  /** One page, or a new beginning where the service says 410; whether there is more. */
  async poll(customer: Customer, limit: number): Promise<boolean> {
    try {
      const { text } = await this.#civic.changes({
        ...(customer.cursor === undefined ? {} : { cursor: customer.cursor }),
        limit,
        maxResponseBytes: 10_000_000,
      });
      const { data, meta } = JSON.parse(text) as { data: { items: readonly Item[] }; meta: { nextCursor: string; hasMore: boolean } };
      for (const { resource, recordId, operation, data: content } of data.items) {
        if (operation === 'upsert') customer.held.set(`${resource} ${recordId}`, canonicalJson(content));
        else customer.held.delete(`${resource} ${recordId}`);
      }
      customer.cursor = customer.isOld ? asOld(meta.nextCursor) : meta.nextCursor;
      return meta.hasMore;
    } catch (error) {
      if (!(error instanceof Rejection && error.code === 'cursor_expired')) throw error;
      this.told410 += 1;
      const { boundaryCursor, boundary } = await this.#snapshot();
      customer.held = await this.stateAt(boundary);
      customer.cursor = customer.isOld ? asOld(boundaryCursor) : boundaryCursor;
      return true;
    }
  }

  async #snapshot(): Promise<{ readonly boundaryCursor: string; readonly boundary: number }> {
    const { boundaryCursor } = await this.#civic.takeSnapshot({ accountId: ACCOUNT, keyId: ACCOUNT, requestId: 'test' });
    return { boundaryCursor, boundary: partsOf(boundaryCursor).position };
  }

  async stateAt(position?: number): Promise<Map<string, string>> {
    const feed = await expectedFeed(this.#civic.log);
    return stateAt(feed, position ?? feed.length);
  }

  async end(): Promise<void> {
    await this.#civic.close();
    await Promise.all([this.#database, ...this.#images].map((database) => database.close()));
  }
}

const partsOf = (text: string) => {
  const cursor = decodeFeedCursor(text);
  if (typeof cursor === 'string') throw new Error(`a cursor is ${cursor}`);
  return cursor;
};
const asOld = (text: string): string => encodeFeedCursor({ ...partsOf(text), fingerprint: null });

const sorted = (state: Map<string, string>) => [...state].toSorted(([one], [other]) => (one < other ? -1 : 1));

test('a customer whose cursors have a fingerprint holds our records or has got 410, whatever history is lost', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(actions, { minLength: 12, maxLength: 30 }), async (steps) => {
      const world = await World.begin();
      try {
        for (const step of steps) await world.do(step);
        const ours = sorted(await world.stateAt());
        for (const customer of world.customers) {
          while (await world.poll(customer, 50));
          if (!customer.isOld) expect(sorted(customer.held)).toEqual(ours);
        }
        told += world.told410;
      } finally {
        await world.end();
      }
    }),
    { numRuns: 8, seed: testSeed() },
  );
  expect(told).toBeGreaterThan(0);
});
