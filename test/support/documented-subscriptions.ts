import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { expectAnswer, expectGood, expectRefused } from './as-documented.ts';
import type { ValidatingProxy } from './validating-proxy.ts';

interface Feed {
  readonly data: { readonly id: string };
}

const create = (proxy: ValidatingProxy, key: string, body: object) =>
  expectGood<Feed>(proxy, 'createFeedSubscription', { key, body });

/** A subscription from its creation to its end; each answer matches the document. */
export async function expectSubscriptionLife(proxy: ValidatingProxy, key: string): Promise<void> {
  const { data } = await create(proxy, key, { name: 'topics to a copy', resource: 'topics' });
  const same = { name: ' topics to a copy ', resource: 'topics' };
  const again = await expectAnswer(proxy, 'createFeedSubscription', 200, { key, body: same });
  expect((JSON.parse(again.text) as Feed).data.id).toBe(data.id);
  await expectGood(proxy, 'listFeedSubscriptions', { key });
  const params = { subscriptionId: data.id };
  await expectGood(proxy, 'readFeedSubscriptionChanges', { key, params });
  for (let time = 0; time < 2; time += 1) await expectGood(proxy, 'revokeFeedSubscription', { key, params });
  await expectRefused(proxy, 'readFeedSubscriptionChanges', 404, 'not_found', { key, params });
}

/** Every refusal for an account with ten places, each as in the document; leaves the places full. */
export async function expectSubscriptionRefusals(
  proxy: ValidatingProxy,
  key: string,
  foreignCursor: string,
): Promise<void> {
  const refused = (status: number, code: string, body: object) =>
    expectRefused(proxy, 'createFeedSubscription', status, code, { key, body });
  for (const body of [
    {},
    { name: ' ' },
    { name: 'x'.repeat(81) },
    { name: 'x', resource: 'topic' },
    { name: 'x', key: 'y' },
  ]) {
    await refused(400, 'invalid_parameter', body);
  }
  await refused(413, 'request_too_large', { name: 'x'.repeat(8_192) });
  const { data } = await create(proxy, key, { name: 'first' });
  await refused(409, 'feed_subscription_conflict', { name: 'first', resource: 'topics' });
  for (let number = 2; number <= 10; number += 1) await create(proxy, key, { name: `number ${number}` });
  await refused(409, 'feed_subscription_limit_reached', { name: 'eleventh' });
  await expectRefused(proxy, 'listFeedSubscriptions', 400, 'invalid_parameter', { key, query: '?limit=1' });
  const params = { subscriptionId: data.id };
  const poll = (status: number, code: string, query: string) =>
    expectRefused(proxy, 'readFeedSubscriptionChanges', status, code, { key, params, query });
  for (const query of ['?limit=0', '?cursor=no', '?resource=topics']) await poll(400, 'invalid_parameter', query);
  await poll(410, 'cursor_expired', `?cursor=${foreignCursor}`);
  await expectRefused(proxy, 'revokeFeedSubscription', 400, 'invalid_parameter', { key, params, query: '?unknown=1' });
  for (const subscriptionId of [randomUUID(), 'first']) {
    await expectRefused(proxy, 'revokeFeedSubscription', 404, 'not_found', { key, params: { subscriptionId } });
  }
}
