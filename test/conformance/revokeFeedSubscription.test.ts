import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { revokeFeedSubscription } from '../../contract/revoke-feed-subscription.ts';
import { DAY_MS } from '../support/civic.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { type IssuedKey, serveNewCivic, type ServedCivic } from '../support/served-civic.ts';
import { eventsOfFeeds, listFeeds, newFeed, pollFeed, revokeFeed } from '../support/subscription-requests.ts';

let served: ServedCivic;
let account: string;
let key: IssuedKey;

beforeAll(async () => {
  served = await serveNewCivic({ CIVIC_PLANS: JSON.stringify({ ultra: { max_response_bytes: 60 } }) });
});
afterAll(async () => served?.close());
beforeEach(async () => {
  account = await served.openAccount();
  key = await served.issueKey(account);
});

async function revoked(id: string, raw: RequestInit = {}) {
  const response = await revokeFeed(served, key.secret, id, raw);
  const body: unknown = await response.json();
  expect({ status: response.status, body }).toMatchObject({ status: 200 });
  expect(response.headers.get('cache-control')).toBe('no-store');
  return revokeFeedSubscription.success.schema.parse(body).data;
}
const refused = async (id: string, status: number, code: string, by = key) =>
  expectRefusal(await revokeFeed(served, by.secret, id), status, code);

test('a subscription is revoked at the time of the clock, and a later revocation answers the first time', async () => {
  const { id } = await newFeed(served, key.secret, 'a');
  served.clock.advance(5_000);
  const first = await revoked(id);
  expect(first).toEqual({ id, revokedAt: new Date(served.clock.now()).toISOString() });
  for (const later of [1, 60_000, 40 * DAY_MS]) {
    served.clock.advance(later);
    expect(await revoked(id)).toEqual(first);
    expect(await revoked(id.toUpperCase())).toEqual(first);
  }
  expect((await eventsOfFeeds(served, account)).map(({ type }) => type)).toEqual([
    'FeedSubscriptionCreated',
    'FeedSubscriptionRevoked',
  ]);
});

test('concurrent revocations of one subscription are one, and all answer the same time', async () => {
  const { id } = await newFeed(served, key.secret, 'a');
  const answers = await Promise.all(Array.from({ length: 12 }, () => revoked(id)));
  expect(new Set(answers.map(({ revokedAt }) => revokedAt)).size).toBe(1);
  expect(await eventsOfFeeds(served, account)).toHaveLength(2);
});

test('only the named subscription ends, and its place is free at once', async () => {
  const feeds = [];
  for (let number = 0; number < 10; number += 1) feeds.push(await newFeed(served, key.secret, `feed ${number}`));
  await revoked(feeds[3]!.id);
  expect((await listFeeds(served, key.secret)).items).toEqual(feeds.filter((_, number) => number !== 3));
  await newFeed(served, key.secret, 'in its place');
  for (const { id } of [feeds[2]!, feeds[4]!]) expect((await pollFeed(served, key.secret, id)).status).toBe(200);
});

test('a subscription that is unknown, of another key or account, or no uuid is 404 and is unchanged', async () => {
  const { id } = await newFeed(served, key.secret, 'a');
  const second = await served.issueKey(account);
  const stranger = await served.issueKey(await served.openAccount());
  for (const by of [second, stranger]) await refused(id, 404, 'not_found', by);
  for (const none of [randomUUID(), 'x', `${id}x`, '%20', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
    await refused(none, 404, 'not_found');
  expect((await pollFeed(served, key.secret, id)).status).toBe(200);
  await revoked(id);
  // A revoked subscription of another key is refused in the same way.
  for (const by of [second, stranger]) await refused(id, 404, 'not_found', by);
});

describe('its body', () => {
  test.each<[string, string, string | Uint8Array<ArrayBuffer>]>([
    ['malformed JSON', 'application/json', '{"'],
    ['another media type', 'application/xml', '<a/>'],
    ['a megabyte', 'application/octet-stream', new Uint8Array(1_000_000)],
  ])('of %s is ignored', async (_, type, body) => {
    const { id } = await newFeed(served, key.secret, 'a');
    const headers = { authorization: `Bearer ${key.secret}`, 'content-type': type };
    expect((await revoked(id, { body, headers })).id).toBe(id);
  });
});

test('a query is 400', async () => {
  const { id } = await newFeed(served, key.secret, 'a');
  await expectRefusal(await served.ask('DELETE', `/subscriptions/${id}?force=1`, key.secret), 400, 'invalid_parameter');
  expect((await pollFeed(served, key.secret, id)).status).toBe(200);
});

test('a paid period, the plan, the scope and a usable key are needed, for a revoked subscription too', async () => {
  const isoAfter = (milliseconds: number) => new Date(served.clock.now() + milliseconds).toISOString();
  const revokedId = (await newFeed(served, key.secret, 'gone')).id;
  await revoked(revokedId);
  const { id } = await newFeed(served, key.secret, 'a');
  const scoped = await served.issueKey(account, { scopes: ['civic:export'] });
  await served.command(account, { type: 'SetPeriod', tier: 'pro', paidUntil: isoAfter(1_000) });
  for (const each of [id, revokedId]) await refused(each, 403, 'forbidden', scoped);
  served.clock.advance(1_000);
  for (const each of [id, revokedId, randomUUID()]) await refused(each, 403, 'billing_entitlement_required');
  await served.command(account, { type: 'SetPeriod', tier: 'none', paidUntil: isoAfter(DAY_MS) });
  for (const each of [id, revokedId]) await refused(each, 403, 'feed_subscription_plan_required');
  await served.command(account, { type: 'SetPeriod', tier: 'pro', paidUntil: isoAfter(DAY_MS) });
  await served.command(account, { type: 'SuspendAccount' });
  await refused(id, 401, 'unauthorized');
  await served.command(account, { type: 'ResumeAccount' });
  expect(await listFeeds(served, key.secret)).toMatchObject({ activeCount: 1 });
  await revoked(id);
  await served.command(account, { type: 'RevokeKey', keyId: key.keyId });
  await refused(id, 401, 'unauthorized');
});

test('an account whose responses are smaller than a receipt can change nothing', async () => {
  const small = await served.openAccount({ tier: 'ultra' });
  const { secret } = await served.issueKey(small);
  const path = `/subscriptions/${(await newFeed(served, key.secret, 'other')).id}`;
  for (const [method, target] of [
    ['POST', '/subscriptions'],
    ['POST', '/snapshots'],
    ['DELETE', path],
  ] as const)
    await expectRefusal(
      await served.ask(method, target, secret, method === 'POST' ? { body: { name: 'x' } } : {}),
      413,
      'response_too_large',
    );
  const { headers } = await served.ask('POST', '/snapshots', secret);
  expect(headers.get('ratelimit')).not.toContain('export-hour');
  expect(await eventsOfFeeds(served, small)).toEqual([]);
});
