import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MAX_RECEIPT_BYTES } from '../../contract/operation.ts';
import { decodeFeedCursor } from '../../domain/cursor.ts';
import { RESOURCES } from '../../domain/records/resources.ts';
import { DAY_MS } from '../support/civic.ts';
import { randomChanges, randomFrom } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { type IssuedKey, serveNewCivic, type ServedCivic } from '../support/served-civic.ts';
import {
  createFeed,
  eventsOfFeeds,
  feedOf,
  listFeeds,
  newFeed,
  pollFeed,
  revokeFeed,
} from '../support/subscription-requests.ts';

let served: ServedCivic;
let account: string;
let key: IssuedKey;

beforeAll(async () => {
  served = await serveNewCivic();
});
afterAll(async () => served?.close());
beforeEach(async () => {
  account = await served.openAccount();
  key = await served.issueKey(account);
});

const create = (body: unknown, by = key) => createFeed(served, by.secret, body);
async function fill(count: number, by = key) {
  for (let number = 0; number < count; number += 1) await newFeed(served, by.secret, `${by.keyId} ${number}`);
}
const isoAfter = (milliseconds: number) => new Date(served.clock.now() + milliseconds).toISOString();

describe('a new subscription', () => {
  test('is answered 201 with its fields and belongs to the key of the request, whatever the body contains', async () => {
    const feed = await newFeed(served, key.secret, 'to the warehouse', 'topics');
    const createdAt = new Date(served.clock.now()).toISOString();
    expect(feed).toMatchObject({ name: 'to the warehouse', resource: 'topics', keyId: key.keyId, createdAt });
    for (const field of ['accountId', 'keyId', 'key', 'id', 'startCursor', 'cursor', '__proto__']) {
      await expectRefusal(await create(`{"name":"x","${field}":"${key.keyId}"}`), 400, 'invalid_parameter');
    }
    expect((await listFeeds(served, key.secret)).items).toEqual([feed]);
  });

  test('may be of every resource, or of all', async () => {
    const by = await served.issueKey(await served.openAccount({ tier: 'ultra' }));
    for (const resource of [...RESOURCES, null])
      expect((await newFeed(served, by.secret, `of ${resource}`, resource)).resource).toBe(resource);
  });

  test('is of every resource when none is named', async () => {
    expect((await feedOf(create({ name: 'x' }))).resource).toBeNull();
  });

  test('starts at the high-water mark of its creation, in a cursor that is bound to its filter', async () => {
    const random = randomFrom(testSeed());
    const marks: number[] = [];
    for (const resource of [null, 'topics', 'meetings'] as const) {
      await served.civic.writer.write(randomChanges(random, 10), {});
      await served.civic.caughtUp(await served.civic.log.head());
      const head = (await (await served.ask('GET', '/health', key.secret)).json()) as {
        data: { pipeline: { head: { cursor: string } } };
      };
      const mark = decodeFeedCursor(head.data.pipeline.head.cursor);
      const start = decodeFeedCursor((await newFeed(served, key.secret, `from ${resource}`, resource)).startCursor);
      expect(start).toEqual({ ...(mark as object), binding: resource ?? 'all' });
      marks.push((start as { position: number }).position);
    }
    expect(new Set(marks).size).toBe(3);
  });

  test('can be polled as soon as its creation is answered', async () => {
    const ids = await Promise.all(
      Array.from({ length: 8 }, async (_, number) => (await newFeed(served, key.secret, `at once ${number}`)).id),
    );
    for (const id of ids) expect((await pollFeed(served, key.secret, id)).status).toBe(200);
  });

  test('has its key, account and request in the metadata of its event', async () => {
    const response = await create({ name: 'x' });
    const requestId = response.headers.get('x-request-id');
    const [stored] = await served.civic.log.readStream(`account_feeds-${account}`, -1, 10);
    expect(JSON.parse(stored!.metadata)).toMatchObject({ accountId: account, keyId: key.keyId, requestId });
  });
});

describe('the name', () => {
  test('is trimmed and then has 1 to 80 characters', async () => {
    expect((await newFeed(served, key.secret, ` \t\n${'n'.repeat(80)} \u00a0`)).name).toBe('n'.repeat(80));
    expect((await newFeed(served, key.secret, '  x  ')).name).toBe('x');
    for (const name of ['', ' ', '\n\t', 'n'.repeat(81), null, 7, ['x'], {}]) {
      await expectRefusal(await create({ name }), 400, 'invalid_parameter');
    }
    expect((await listFeeds(served, key.secret)).items).toHaveLength(2);
  });

  test('is counted in characters, not in UTF-16 code units', async () => {
    expect((await newFeed(served, key.secret, '\u{1f4dc}'.repeat(80))).name).toBe('\u{1f4dc}'.repeat(80));
    await expectRefusal(await create({ name: '\u{1f4dc}'.repeat(81) }), 400, 'invalid_parameter');
  });

  test.each([
    ['U+0000', () => '{"name":"a\\u0000b"}'],
    ['half a character', () => '{"name":"a\\ud800b"}'],
    ['an API key', () => ({ name: `key ${key.secret}` })],
  ])('that contains %s is refused without being repeated, and other requests are served', async (_, body) => {
    const before = await eventsOfFeeds(served, account);
    const refusal = await expectRefusal(await create(body()), 400, 'invalid_parameter');
    expect(JSON.stringify(refusal)).not.toContain(key.secret.slice(4));
    expect(await eventsOfFeeds(served, account)).toEqual(before);
    await newFeed(served, key.secret, 'as before');
  });

  test('of a live subscription with the same filter returns it with 200, in any spacing or normal form', async () => {
    const feed = await newFeed(served, key.secret, 'caf\u00e9', 'topics');
    served.clock.advance(1_000);
    for (const name of ['caf\u00e9', '  caf\u00e9 ', 'cafe\u0301']) {
      expect(await feedOf(create({ name, resource: 'topics' }), 200)).toEqual(feed);
    }
    expect(await eventsOfFeeds(served, account)).toHaveLength(1);
  });

  test('of a live subscription with another filter is 409 in either order, and nothing changes', async () => {
    const [all, some] = [await newFeed(served, key.secret, 'all'), await newFeed(served, key.secret, 'some', 'topics')];
    await expectRefusal(await create({ name: 'all', resource: 'topics' }), 409, 'feed_subscription_conflict');
    await expectRefusal(await create({ name: 'some', resource: 'meetings' }), 409, 'feed_subscription_conflict');
    await expectRefusal(await create({ name: 'some' }), 409, 'feed_subscription_conflict');
    expect((await listFeeds(served, key.secret)).items).toEqual([all, some]);
  });

  test('is free to other keys and other accounts, with any filter', async () => {
    const feed = await newFeed(served, key.secret, 'same');
    const second = await served.issueKey(account);
    const stranger = await served.issueKey(await served.openAccount());
    for (const other of [second, stranger]) {
      expect(await newFeed(served, other.secret, 'same', 'topics')).toMatchObject({
        keyId: other.keyId,
        resource: 'topics',
      });
    }
    expect(await feedOf(create({ name: 'same' }), 200)).toEqual(feed);
  });

  test('is free after its subscription is revoked, and then names another subscription', async () => {
    const feed = await newFeed(served, key.secret, 'again');
    await revokeFeed(served, key.secret, feed.id);
    expect((await newFeed(served, key.secret, 'again', 'topics')).id).not.toBe(feed.id);
  });
});

test('a receipt is never over the bytes that every receipt fits into', async () => {
  const receipt = await (await create({ name: '\u0001'.repeat(80) })).text();
  expect(Buffer.byteLength(receipt)).toBeLessThan(MAX_RECEIPT_BYTES);
});

describe('the cap', () => {
  test.each([
    ['pro', 10],
    ['ultra', 100],
  ] as const)('of %s is %i live subscriptions over all keys of the account', async (tier, cap) => {
    const owner = await served.openAccount({ tier });
    const keys = [await served.issueKey(owner), await served.issueKey(owner)];
    // Five at once, because each waits for the read model.
    for (let first = 0; first < cap; first += 5) {
      const numbers = Array.from({ length: 5 }, (_, nth) => first + nth);
      await Promise.all(numbers.map((number) => newFeed(served, keys[number % 2]!.secret, `feed ${number}`)));
    }
    for (const each of keys)
      await expectRefusal(await create({ name: 'too many' }, each), 409, 'feed_subscription_limit_reached');
    expect(await listFeeds(served, keys[0]!.secret)).toMatchObject({ activeCount: cap, maxActiveSubscriptions: cap });
    await feedOf(create({ name: 'feed 0' }, keys[0]), 200);
    await expectRefusal(
      await create({ name: 'feed 0', resource: 'topics' }, keys[0]),
      409,
      'feed_subscription_conflict',
    );
  });

  test('has room at once when a subscription, or the key of one, is revoked', async () => {
    const second = await served.issueKey(account);
    await fill(9);
    const feed = await newFeed(served, second.secret, 'the tenth');
    await expectRefusal(await create({ name: 'eleventh' }), 409, 'feed_subscription_limit_reached');
    await revokeFeed(served, second.secret, feed.id);
    await newFeed(served, second.secret, 'the tenth again');
    await expectRefusal(await create({ name: 'eleventh' }), 409, 'feed_subscription_limit_reached');
    await served.command(account, { type: 'RevokeKey', keyId: second.keyId });
    await newFeed(served, key.secret, 'eleventh');
    await expectRefusal(await create({ name: 'twelfth' }), 409, 'feed_subscription_limit_reached');
  });

  test('has room exactly from the moment that the key of a subscription expires', async () => {
    const brief = await served.issueKey(account, { expiresAt: isoAfter(60_000) });
    await fill(4);
    await fill(6, brief);
    served.clock.advance(59_999);
    await expectRefusal(await create({ name: 'eleventh' }), 409, 'feed_subscription_limit_reached');
    expect(await feedOf(create({ name: `${brief.keyId} 0` }, brief), 200)).toMatchObject({ keyId: brief.keyId });
    served.clock.advance(1);
    expect(await listFeeds(served, key.secret)).toMatchObject({ activeCount: 4, maxActiveSubscriptions: 10 });
    for (let number = 0; number < 6; number += 1) await newFeed(served, key.secret, `after ${number}`);
    await expectRefusal(await create({ name: 'eleventh' }), 409, 'feed_subscription_limit_reached');
    // The rows still exist: nothing was revoked.
    expect((await eventsOfFeeds(served, account)).filter(({ type }) => type === 'FeedSubscriptionRevoked')).toEqual([]);
  });

  test('after a downgrade refuses new subscriptions until there is room, and ends no existing one', async () => {
    const owner = await served.openAccount({ tier: 'ultra' });
    const by = await served.issueKey(owner);
    await fill(12, by);
    const { items } = await listFeeds(served, by.secret);
    await served.command(owner, { type: 'SetPeriod', tier: 'pro', paidUntil: isoAfter(DAY_MS) });
    expect(await listFeeds(served, by.secret)).toEqual({ items, activeCount: 12, maxActiveSubscriptions: 10 });
    for (const { id } of items) expect((await pollFeed(served, by.secret, id)).status).toBe(200);
    for (const [index, { id }] of items.slice(0, 3).entries()) {
      await expectRefusal(await create({ name: `new ${index}` }, by), 409, 'feed_subscription_limit_reached');
      expect((await revokeFeed(served, by.secret, id)).status).toBe(200);
    }
    await newFeed(served, by.secret, 'new');
    await served.command(owner, { type: 'SetPeriod', tier: 'ultra', paidUntil: isoAfter(DAY_MS) });
    await newFeed(served, by.secret, 'another');
  });
});

describe('is refused', () => {
  const BODIES = ['', '{', '[]', 'null', '"x"', '{}', '{"resource":"topics"}', '{"name":"x"}}', '\u{feff}1'];
  const RESOURCES_OF_NONE = ['topic', 'TOPICS', 'all', '', 'toString', 7, false, ['topics']];

  test('with 400 for a body that is not a JSON object with a name, or that names no resource', async () => {
    for (const body of [...BODIES, ...RESOURCES_OF_NONE.map((resource) => ({ name: 'x', resource }))])
      await expectRefusal(await create(body), 400, 'invalid_parameter');
    expect(await eventsOfFeeds(served, account)).toEqual([]);
  });

  test('with 400 for a query key and another media type', async () => {
    await expectRefusal(
      await served.ask('POST', '/subscriptions?limit=1', key.secret, { body: { name: 'x' } }),
      400,
      'invalid_parameter',
    );
    const raw = {
      body: '{"name":"x"}',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'text/plain' },
    };
    await expectRefusal(await served.ask('POST', '/subscriptions', key.secret, { raw }), 400, 'invalid_parameter');
  });

  test('with 413 for a body of 8,193 bytes or more, whatever its content', async () => {
    const padded = (length: number) => `{"name":"x"}${' '.repeat(length - 12)}`;
    await feedOf(create(padded(8_192)));
    await expectRefusal(await create(padded(8_193)), 413, 'request_too_large');
    await expectRefusal(await create(`{"name":"${'x'.repeat(20_000)}`), 413, 'request_too_large');
  });

  test('with 401 or 403 by the key and the billing of its account, and nothing is created', async () => {
    await expectRefusal(await create({ name: 'x' }, { keyId: '', secret: 'crs_none' }), 401, 'unauthorized');
    await expectRefusal(
      await create({ name: 'x' }, await served.issueKey(account, { scopes: ['civic:export'] })),
      403,
      'forbidden',
    );
    const plain = await served.openAccount({ tier: 'none' });
    await expectRefusal(
      await create({ name: 'x' }, await served.issueKey(plain)),
      403,
      'feed_subscription_plan_required',
    );
    const unpaid = await served.openAccount({ paidUntil: isoAfter(0) });
    await expectRefusal(
      await create({ name: 'x' }, await served.issueKey(unpaid)),
      403,
      'billing_entitlement_required',
    );
    const unset = served.civic.identifiers.next();
    await served.command(unset, {
      type: 'OpenAccount',
      name: 'Unset',
      channel: 'unset',
      tier: 'pro',
      paidUntil: isoAfter(DAY_MS),
    });
    await expectRefusal(await create({ name: 'x' }, await served.issueKey(unset)), 403, 'billing_channel_unset');
    for (const id of [account, plain, unpaid, unset]) expect(await eventsOfFeeds(served, id)).toEqual([]);
  });

  test('with 503 when the state of the subscription cannot be read, and nothing is created', async () => {
    const sql = (text: string) =>
      served.civic.projectorDependencies.transactor.transaction((transaction) =>
        transaction.query<{ live_generation: number }>({ text, values: [] }),
      );
    const { rows } = await sql("select live_generation from civic.projections where name = 'record_history'");
    await sql("update civic.projections set live_generation = null where name = 'record_history'");
    try {
      await expectRefusal(await create({ name: 'x' }), 503, 'feed_unavailable');
    } finally {
      await sql(
        `update civic.projections set live_generation = ${rows[0]!.live_generation} where name = 'record_history'`,
      );
    }
    expect(await eventsOfFeeds(served, account)).toEqual([]);
    await newFeed(served, key.secret, 'x');
  });
});
