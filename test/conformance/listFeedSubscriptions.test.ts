import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '../support/civic.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { type IssuedKey, serveNewCivic, type ServedCivic } from '../support/served-civic.ts';
import { createFeed, listFeeds, newFeed, revokeFeed } from '../support/subscription-requests.ts';

let served: ServedCivic;
let account: string;
let key: IssuedKey;

beforeAll(async () => {
  const pro = { requests_per_minute: 1_000_000, burst_limit: 1_000_000, export_requests_per_hour: 2 };
  served = await serveNewCivic({ CIVIC_PLANS: JSON.stringify({ pro }) });
});
afterAll(async () => served?.close());
beforeEach(async () => {
  account = await served.openAccount();
  key = await served.issueKey(account);
});

const isoAfter = (milliseconds: number) => new Date(served.clock.now() + milliseconds).toISOString();
const ask = (query = '', by = key) => served.ask('GET', `/subscriptions${query}`, by.secret);

test('a key without subscriptions has an empty list and the cap of its plan', async () => {
  expect(await listFeeds(served, key.secret)).toEqual({ items: [], activeCount: 0, maxActiveSubscriptions: 10 });
  const ultra = await served.issueKey(await served.openAccount({ tier: 'ultra' }));
  expect(await listFeeds(served, ultra.secret)).toEqual({ items: [], activeCount: 0, maxActiveSubscriptions: 100 });
});

test('the items are those of the key, oldest first, and the count is that of the account', async () => {
  const second = await served.issueKey(account);
  const stranger = await served.issueKey(await served.openAccount());
  const mine = [];
  for (const [name, by] of [
    ['b', key],
    ['a', second],
    ['a', key],
    ['c', stranger],
    ['c', key],
  ] as const) {
    served.clock.advance(5);
    const feed = await newFeed(served, by.secret, name);
    if (by === key) mine.push(feed);
  }
  expect(await listFeeds(served, key.secret)).toEqual({ items: mine, activeCount: 4, maxActiveSubscriptions: 10 });
  expect((await listFeeds(served, second.secret)).items.map(({ name }) => name)).toEqual(['a']);
  expect(await listFeeds(served, stranger.secret)).toMatchObject({ activeCount: 1 });
});

test('a subscription leaves the list and the count when its revocation is answered', async () => {
  const feeds = [await newFeed(served, key.secret, 'a'), await newFeed(served, key.secret, 'b')];
  await revokeFeed(served, key.secret, feeds[0]!.id);
  expect(await listFeeds(served, key.secret)).toMatchObject({ items: [feeds[1]], activeCount: 1 });
});

test('subscriptions of revoked and expired keys are not counted; those of other keys are', async () => {
  const revoked = await served.issueKey(account);
  const brief = await served.issueKey(account, { expiresAt: isoAfter(1_000) });
  for (const by of [revoked, brief, key]) await newFeed(served, by.secret, 'a');
  expect(await listFeeds(served, key.secret)).toMatchObject({ activeCount: 3 });
  await served.command(account, { type: 'RevokeKey', keyId: revoked.keyId });
  expect(await listFeeds(served, key.secret)).toMatchObject({ activeCount: 2 });
  served.clock.advance(999);
  expect(await listFeeds(served, brief.secret)).toMatchObject({ activeCount: 2 });
  served.clock.advance(1);
  expect(await listFeeds(served, key.secret)).toMatchObject({ activeCount: 1 });
  for (const dead of [revoked, brief]) await expectRefusal(await ask('', dead), 401, 'unauthorized');
});

test('without a paid period or plan the list is refused and nothing is deleted', async () => {
  await served.command(account, { type: 'SetPeriod', tier: 'pro', paidUntil: isoAfter(DAY_MS) });
  const feed = await newFeed(served, key.secret, 'a');
  served.clock.advance(DAY_MS - 1);
  expect((await listFeeds(served, key.secret)).items).toEqual([feed]);
  served.clock.advance(1);
  await expectRefusal(await ask(), 403, 'billing_entitlement_required');
  await served.command(account, { type: 'SetPeriod', tier: 'none', paidUntil: isoAfter(DAY_MS) });
  await expectRefusal(await ask(), 403, 'feed_subscription_plan_required');
  await served.command(account, { type: 'SetPeriod', tier: 'pro', paidUntil: isoAfter(2 * DAY_MS) });
  expect(await listFeeds(served, key.secret)).toEqual({ items: [feed], activeCount: 1, maxActiveSubscriptions: 10 });
});

test.each(['?limit=1', '?cursor=x', '?includeRevoked=true', '?=', '?a', '?__proto__=1'])(
  'the query %s is 400',
  async (query) => {
    await expectRefusal(await ask(query), 400, 'invalid_parameter');
  },
);

test('a key without the scope is 403, and an invalid key is 401', async () => {
  await expectRefusal(await ask('', await served.issueKey(account, { scopes: ['civic:export'] })), 403, 'forbidden');
  await expectRefusal(await ask('', { keyId: '', secret: 'none' }), 401, 'unauthorized');
});

test('the list does not read the revoked subscriptions of an account', async () => {
  for (let round = 0; round < 30; round += 1) {
    const { id } = await newFeed(served, key.secret, `round ${round}`);
    await revokeFeed(served, key.secret, id);
  }
  expect((await createFeed(served, key.secret, { name: 'left' })).status).toBe(201);
  const { rows } = await served.civic.projectorDependencies.transactor.transaction(async (transaction) => {
    const generations = await transaction.query<{ live_generation: number }>({
      text: "select live_generation from civic.projections where name = 'subscriptions'",
      values: [],
    });
    await transaction.query({ text: 'set local enable_seqscan = off', values: [] });
    return transaction.query<{ 'QUERY PLAN': string }>({
      text: `explain (analyze, costs off, timing off, summary off, buffers off) select * from civic.subscriptions_g${generations.rows[0]!.live_generation}
        where account_id = '${account}'::uuid and revoked_at is null`,
      values: [],
    });
  });
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('_by_account');
  expect(plan).not.toContain('Rows Removed by Filter');
});

test('the headers state the remaining exports, of which the list charges none, even at zero', async () => {
  const allowance = async () => {
    const { status, headers } = await ask();
    return [
      status,
      ...['ratelimit-policy', 'ratelimit'].map((name) => /"export-hour".*/.exec(headers.get(name)!)?.[0]),
    ];
  };
  const allowanceAt = (exports: number) => [
    200,
    '"export-hour";q=2;w=3600',
    expect.stringMatching(new RegExp(`^"export-hour";r=${exports};t=\\d+$`)) as unknown,
  ];
  expect([await allowance(), await allowance()]).toEqual([allowanceAt(2), allowanceAt(2)]);
  for (const exports of [1, 0]) {
    expect((await served.ask('POST', '/snapshots', key.secret)).status).toBe(201);
    expect([await allowance(), await allowance()]).toEqual([allowanceAt(exports), allowanceAt(exports)]);
  }
});
