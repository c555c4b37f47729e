import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Projector, startProjector } from '../../src/processors/projector/projector.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { untilTrue } from '../support/civic.ts';
import { below } from '../support/civic-records.ts';
import { withNightly } from '../support/test-runs.ts';
import { withSeed } from '../support/test-seed.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { serveCivic, type ServedCivic } from '../support/served-civic.ts';
import { createFeed, eventsOfFeeds, feedOf, listFeeds, newFeed, revokeFeed } from '../support/subscription-requests.ts';

const PAID_UNTIL = '2099-01-01T00:00:00.000Z';

let database: TestDatabase;
/** Its clock is stopped; it folds for all processes. */
let served: ServedCivic;
let processes: readonly ApiProcess[];
let projector: Projector;

beforeAll(async () => {
  database = await startTestDatabase();
  served = await serveCivic(database.url);
  projector = served.civic.startProjector();
  processes = await Promise.all(Array.from({ length: 4 }, () => startApiProcess(database.url)));
});
afterAll(async () => {
  await Promise.all((processes ?? []).map((each) => each.stop()));
  await projector?.stop();
  await served?.close();
  await database?.close();
});

/** The same program, reached through another process. */
const through = ({ baseUrl }: ApiProcess): ServedCivic => ({
  ...served,
  baseUrl,
  ask: (method, path, key, { body, raw } = {}) =>
    fetch(`${baseUrl}/api/v1/data${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...raw,
    }),
});
async function open() {
  const account = await served.openAccount({ paidUntil: PAID_UNTIL });
  return { account, key: (await served.issueKey(account)).secret };
}

interface Request {
  readonly name: string;
  readonly status: number;
  readonly body: {
    readonly data?: { readonly id: string; readonly name: string };
    readonly error?: { readonly code: string };
  };
}

describe('two hundred concurrent creations of twenty names from four processes', () => {
  test.each(withNightly([1], [2, 3]))(
    'leave exactly ten live feeds: a live name is returned again, other names are refused (round %i)',
    async () => {
      await withSeed(async (random) => {
        const { account, key } = await open();
        const names = Array.from({ length: 200 }, (_, nth) => ({ name: `name ${nth % 20}`, order: random() })).toSorted(
          (a, b) => a.order - b.order,
        );
        const answers = await Promise.all(
          names.map(async ({ name }, nth): Promise<Request> => {
            const process = processes[(nth + below(random, 2)) % 4]!;
            const response = await createFeed(through(process), key, { name });
            return { name, status: response.status, body: (await response.json()) as Request['body'] };
          }),
        );
        const created = answers.filter(({ status }) => status === 201);
        expect(created).toHaveLength(10);
        const ids = new Map(created.map(({ name, body }) => [name, body.data!.id]));
        expect(ids.size).toBe(10);
        for (const { name, status, body } of answers) {
          if (ids.has(name)) expect([200, 201]).toContain(status);
          else
            expect({ status, code: body.error?.code }).toEqual({
              status: 409,
              code: 'feed_subscription_limit_reached',
            });
          expect(body.data?.id).toBe(ids.get(name));
        }
        const live = await listFeeds(through(processes[0]!), key);
        expect(live.activeCount).toBe(10);
        expect(new Map(live.items.map(({ name, id }) => [name, id]))).toEqual(ids);
        expect(await eventsOfFeeds(served, account)).toHaveLength(10);
      });
    },
  );

  test('and revocations among them never leave more than ten, whichever process answers', async () => {
    const { account, key } = await open();
    const work = processes.map(async (process, nth) => {
      const mine = through(process);
      const statuses: number[] = [];
      for (let round = 0; round < 12; round += 1) {
        const feed = await createFeed(mine, key, { name: `of ${nth}, ${round % 4}` });
        statuses.push(feed.status);
        if (feed.status > 201 || round % 3 > 0) continue;
        const { data } = (await feed.json()) as { data: { id: string } };
        statuses.push((await revokeFeed(mine, key, data.id)).status);
      }
      return statuses;
    });
    const statuses = (await Promise.all(work)).flat();
    expect(statuses.filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
    let live = 0;
    for (const { type } of await eventsOfFeeds(served, account)) {
      live += type === 'FeedSubscriptionCreated' ? 1 : -1;
      expect(live).toBeLessThanOrEqual(10);
    }
    expect(await listFeeds(served, key)).toMatchObject({ activeCount: live });
  });
});

describe('between the append and the answer', () => {
  /** Runs work while nothing is folded, so appended writes are not answered. */
  const whileNothingIsFolded = async (work: () => Promise<void>): Promise<void> => {
    await projector.stop();
    try {
      await work();
    } finally {
      projector = startProjector(served.civic.projectorDependencies, served.civic.projections);
    }
  };
  const appended = (account: string, count: number) =>
    untilTrue(
      `${count} events of the account's feeds`,
      async () => (await eventsOfFeeds(served, account)).length === count,
    );
  const outcomeOf = (answer: Promise<Response>) =>
    answer.then(
      ({ status }) => status,
      () => 'cut off' as const,
    );

  test('a killed process leaves a subscription or a revocation that the same request finds', async () => {
    const { account, key } = await open();
    // No later test uses the two that are killed.
    const [, other, doomed, second] = processes as [ApiProcess, ApiProcess, ApiProcess, ApiProcess];
    await whileNothingIsFolded(async () => {
      const answer = outcomeOf(createFeed(through(doomed), key, { name: 'a', resource: 'topics' }));
      await appended(account, 1);
      await doomed.kill9();
      expect(await answer).toBe('cut off');
    });
    const [event] = await eventsOfFeeds(served, account);
    const feed = await feedOf(createFeed(through(other), key, { name: 'a', resource: 'topics' }), 200);
    expect(feed.id).toBe(event!.data.id);
    await whileNothingIsFolded(async () => {
      const answer = outcomeOf(revokeFeed(through(second), key, feed.id));
      await appended(account, 2);
      await second.kill9();
      expect(await answer).toBe('cut off');
    });
    const revocation = (await eventsOfFeeds(served, account))[1]!;
    const repeated = await revokeFeed(through(other), key, feed.id);
    expect([repeated.status, await repeated.json()]).toEqual([200, { data: revocation.data }]);
    expect(await eventsOfFeeds(served, account)).toHaveLength(2);
  });

  test('a read model that is late is 504, the write stays, and the same request finds it', async () => {
    const { account, key } = await open();
    let created: Promise<Response> | undefined;
    await whileNothingIsFolded(async () => {
      created = createFeed(served, key, { name: 'a' });
      await appended(account, 1);
      served.clock.advance(61_000);
      await expectRefusal(await created, 504, 'timeout');
    });
    const feed = await feedOf(createFeed(served, key, { name: 'a' }), 200);
    const at = new Date(served.clock.now()).toISOString();
    await whileNothingIsFolded(async () => {
      const revoked = revokeFeed(served, key, feed.id);
      await appended(account, 2);
      served.clock.advance(61_000);
      await expectRefusal(await revoked, 504, 'timeout');
    });
    const repeated = await revokeFeed(served, key, feed.id);
    expect([repeated.status, await repeated.json()]).toEqual([200, { data: { id: feed.id, revokedAt: at } }]);
    await newFeed(served, key, 'a');
  });

  test('a repeat in another process waits for the read model before it answers', async () => {
    const { account, key } = await open();
    let first: Promise<Response> | undefined;
    let repeat: Promise<Response> | undefined;
    let answeredEarly = false;
    await whileNothingIsFolded(async () => {
      first = createFeed(through(processes[0]!), key, { name: 'a' });
      await appended(account, 1);
      repeat = createFeed(through(processes[1]!), key, { name: 'a' });
      void repeat.then(() => (answeredEarly = true));
      // Other requests are answered during this time.
      for (let time = 0; time < 20; time += 1)
        expect((await listFeeds(through(processes[1]!), key)).activeCount).toBe(0);
      expect(answeredEarly).toBe(false);
    });
    const { id } = await feedOf(first!, 201);
    expect((await feedOf(repeat!, 200)).id).toBe(id);
  });
});
