import { z } from 'zod';
import { feedSubscription } from './feed-subscription.ts';
import { answer, count, itemsOf } from './fields.ts';
import { operation, SUBSCRIPTION_ACCESS, SUBSCRIPTION_UPKEEP_REFUSALS } from './operation.ts';
import { SUBSCRIPTION } from './examples.ts';

const feedSubscriptions = answer(
  'FeedSubscriptions',
  z.strictObject({
    items: itemsOf(feedSubscription),
    activeCount: count.describe('Live feeds of the whole account, over all of its keys.'),
    maxActiveSubscriptions: count.describe('Most live feeds that the plan of the account allows.'),
  }),
);

export type FeedSubscriptions = z.output<typeof feedSubscriptions>['data'];

export const listFeedSubscriptions = operation({
  ...SUBSCRIPTION_ACCESS,
  operationId: 'listFeedSubscriptions',
  method: 'GET',
  path: '/api/v1/data/subscriptions',
  exportUnits: 0,
  refusals: SUBSCRIPTION_UPKEEP_REFUSALS,
  summary: 'List the live subscriptions of this key',
  description:
    'Live feeds that are bound to the account and the key of the request. Revoked ones are never listed. Takes no query parameter.',
  example: {
    parameters: {},
    success: {
      feeds: {
        summary: 'One live feed',
        value: { data: { items: [SUBSCRIPTION], activeCount: 1, maxActiveSubscriptions: 10 } },
      },
    },
  },
  success: { status: 200, schema: feedSubscriptions },
});
