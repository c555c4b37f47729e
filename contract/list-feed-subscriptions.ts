import { z } from 'zod';
import { feedSubscription } from './feed-subscription.ts';
import { operation, SUBSCRIPTION_ACCESS } from './operation.ts';
import { SUBSCRIPTION } from './examples.ts';

/** The items are the feeds of the caller's key; the counts cover the whole account. */
export const feedSubscriptions = z.strictObject({
  data: z.strictObject({ items: z.array(feedSubscription), activeCount: z.int().min(0), maxActiveSubscriptions: z.int().min(0) }),
});

export type FeedSubscriptions = z.output<typeof feedSubscriptions>['data'];

export const listFeedSubscriptions = operation({
  ...SUBSCRIPTION_ACCESS,
  operationId: 'listFeedSubscriptions',
  method: 'GET',
  path: '/api/v1/data/subscriptions',
  summary: 'List the live subscriptions of this key',
  description:
    'Live feeds that are bound to the account and the key of the request. Revoked ones are never listed. Takes no query parameter.',
  example: {
    parameters: {},
    success: {
      feeds: { summary: 'One live feed', value: { data: { items: [SUBSCRIPTION], activeCount: 1, maxActiveSubscriptions: 10 } } },
    },
  },
  success: { status: 200, schema: feedSubscriptions },
});
