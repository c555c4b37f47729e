import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../domain/digests.ts';
import { decodeFeedCursor, encodeFeedCursor } from '../../domain/cursor.ts';
import { migrate } from '../../infra/postgresql/connection/schema-state.ts';
import { Rejection } from '../../domain/rejections.ts';
import { openTestCivic, type TestCivic } from '../support/civic.ts';
import { randomChanges, randomFrom } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { copyTestDatabase, startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type ServerPair, startServerPair } from '../support/postgresql-pair.ts';
import { expectedFeed, stateAt } from '../support/history-checker.ts';
import { testRuns } from '../support/test-runs.ts';

const CUSTOMERS = 4;
const ACCOUNT = '5b0c3b0e-0f0e-4b57-9d3d-0a4a5b1f7f10';

const ordinary = [
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      count: fc.integer({ min: 1, max: 8 }),
      seed: fc.integer(),
    }),
  },
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
] as const;
const actions = fc.oneof(...ordinary);
const actionsOfPair = fc.oneof(
  ...ordinary,
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('cut' as const, 'join' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('promote' as const) }) },
);
type Action = typeof actionsOfPair extends fc.Arbitrary<infer Value> ? Value : never;

/** The store that loses history. Nothing is connected to it during this time. */
interface Storage {
  url(): string;
  save(): Promise<void>;
  /** Index of the saved image, the oldest being 0. */
  putBack(which: number): Promise<void>;
  pair: Pick<ServerPair, 'cut' | 'join' | 'promote'> | null;
  end(): Promise<void>;
}

/** A database of the server of this run, restored from copies. */
async function copiedDatabase(): Promise<Storage> {
  let database = await startTestDatabase();
  const images: TestDatabase[] = [];
  return {
    url: () => database.url,
    save: async () => void images.push(await copyTestDatabase(database)),
    async putBack(which) {
      await database.close();
      database = await copyTestDatabase(images[which]!);
    },
    pair: null,
    end: async () => void (await Promise.all([database, ...images].map((each) => each.close()))),
  };
}

/** A primary and its standby. */
async function pairOfServers(): Promise<Storage> {
  const pair = await startServerPair();
  await migrate(pair.dsn('postgres'));
  return {
    url: () => pair.dsn('postgres'),
    save: () => pair.save(),
    putBack: (which) => pair.putBack(which),
    pair,
    end: () => pair.stop(),
  };
}

interface Customer {
  cursor: string | undefined;
  /** Data by resource and id. */
  held: Map<string, string>;
  /** True if its cursors are those of an earlier version. */
  readonly isOld: boolean;
}

interface Item {
  readonly resource: string;
  readonly operation: 'upsert' | 'remove';
  readonly recordId: string;
  readonly data?: unknown;
}

/** A service whose database is restored repeatedly while customers replicate. */
class World {
  readonly customers: readonly Customer[] = Array.from({ length: CUSTOMERS }, (_, index) => ({
    cursor: undefined,
    held: new Map<string, string>(),
    isOld: index === 0,
  }));
  told410 = 0;
  readonly #storage: Storage;
  #civic: TestCivic;
  #images = 0;

  private constructor(storage: Storage, civic: TestCivic) {
    this.#storage = storage;
    this.#civic = civic;
  }

  static async begin(storage: Storage): Promise<World> {
    return new World(storage, await World.#open(storage));
  }

  static async #open(storage: Storage): Promise<TestCivic> {
    const civic = await openTestCivic(storage.url());
    civic.startProjector();
    await civic.caughtUp();
    return civic;
  }

  async do(action: Action): Promise<void> {
    if (action.kind === 'write') {
      await this.#civic.writer.write(randomChanges(randomFrom(action.seed), action.count, 3), {});
      await this.#civic.caughtUp();
    } else if (action.kind === 'poll') {
      for (let page = 0; page < action.pages; page += 1) await this.poll(this.customers[action.who]!, action.limit);
    } else if (action.kind === 'save') {
      await this.#apart(() => this.#storage.save());
      this.#images += 1;
    } else if (action.kind === 'put back') {
      if (this.#images > 0) await this.#apart(() => this.#storage.putBack(action.which % this.#images));
    } else if (action.kind === 'promote') {
      await this.#apart(() => this.#storage.pair!.promote());
    } else await this.#storage.pair![action.kind]();
  }

  async #apart(work: () => Promise<void>): Promise<void> {
    await this.#civic.close();
    await work();
    this.#civic = await World.#open(this.#storage);
  }

  /** Reads one page, or starts again after a 410; returns whether there is more. */
  async poll(customer: Customer, limit: number): Promise<boolean> {
    try {
      const { text } = await this.#civic.changes({
        ...(customer.cursor === undefined ? {} : { cursor: customer.cursor }),
        limit,
        maxResponseBytes: 10_000_000,
      });
      const { data, meta } = JSON.parse(text) as {
        data: { items: readonly Item[] };
        meta: { nextCursor: string; hasMore: boolean };
      };
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
    const { boundaryCursor } = await this.#civic.takeSnapshot({
      accountId: ACCOUNT,
      keyId: ACCOUNT,
      requestId: 'test',
    });
    return { boundaryCursor, boundary: partsOf(boundaryCursor).position };
  }

  async stateAt(position?: number): Promise<Map<string, string>> {
    const feed = await expectedFeed(this.#civic.log);
    return stateAt(feed, position ?? feed.length);
  }

  async end(): Promise<void> {
    await this.#civic.close();
    await this.#storage.end();
  }
}

function partsOf(text: string) {
  const cursor = decodeFeedCursor(text);
  if (typeof cursor === 'string') throw new Error(`a cursor is ${cursor}`);
  return cursor;
}
const asOld = (text: string): string => encodeFeedCursor({ ...partsOf(text), fingerprint: null });

const sorted = (state: Map<string, string>) => [...state].toSorted(([one], [other]) => (one < other ? -1 : 1));

const read = (customers: readonly number[]): Action[] =>
  customers.map((who) => ({ kind: 'poll', who, limit: 6, pages: 4 }));
const write = (seed: number): Action => ({ kind: 'write', count: 8, seed });

/** A restore also removes history that customers have read. */
const SET_BACK: Action[] = [
  write(1),
  ...read([0, 1, 2]),
  { kind: 'save' },
  write(2),
  ...read([0, 1]),
  { kind: 'put back', which: 0 },
  write(3),
  write(4),
];

/** The same with a primary whose standby was disconnected. */
const NOT_RECEIVED: Action[] = [
  write(1),
  ...read([0, 1, 2]),
  { kind: 'cut' },
  write(2),
  ...read([0, 1]),
  { kind: 'promote' },
  write(3),
  write(4),
];

test.each([
  {
    name: 'images of a database are restored',
    storage: copiedDatabase,
    steps: fc.array(actions, { minLength: 12, maxLength: 30 }),
    examples: [[SET_BACK]] as [Action[]][],
    runs: testRuns(3),
  },
  {
    name: 'an asynchronous standby is disconnected and promoted, and disk images are restored',
    storage: pairOfServers,
    steps: fc.array(actionsOfPair, { minLength: 12, maxLength: 24 }),
    examples: [[NOT_RECEIVED]] as [Action[]][],
    runs: testRuns(1),
  },
])(
  'a customer whose cursors have a fingerprint has our records or a 410 when $name',
  async ({ storage, steps, examples, runs }) => {
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (actionsOfRun) => {
        const world = await World.begin(await storage());
        try {
          for (const action of actionsOfRun) await world.do(action);
          const ours = sorted(await world.stateAt());
          for (const customer of world.customers) {
            while (await world.poll(customer, 50));
            if (!customer.isOld) expect(sorted(customer.held)).toEqual(ours);
          }
          refusals += world.told410;
        } finally {
          await world.end();
        }
      }),
      { numRuns: runs, examples, seed: testSeed() },
    );
    expect(refusals).toBeGreaterThan(0);
  },
);
