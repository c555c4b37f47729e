import { z } from 'zod';
import { feedSubscription, SUBSCRIPTION_REFUSALS, subscriptionName } from './feed-subscription.ts';
import { noParams, noQuery, resourceName } from './fields.ts';
import { operation } from './operation.ts';

/** No account and no key is taken from the caller: the feed is bound to the ones that the request was authenticated with. */
export const newSubscription = z.strictObject({ name: subscriptionName, resource: resourceName.nullable().default(null) });

const subscription = z.strictObject({ data: feedSubscription });

export const createFeedSubscription = operation({
  operationId: 'createFeedSubscription',
  method: 'POST',
  path: '/api/v1/data/subscriptions',
  access: 'key',
  scope: 'civic:read',
  surface: 'subscriptions',
  params: noParams,
  query: noQuery,
  body: { schema: newSubscription, maxBytes: 8192 },
  success: { status: 201, schema: subscription },
  otherAnswers: [{ status: 200, when: 'A live feed of this account and key already has this name and resource.', schema: subscription }],
  refusals: [...SUBSCRIPTION_REFUSALS, 'request_too_large', 'feed_subscription_conflict', 'feed_subscription_limit_reached'],
});
