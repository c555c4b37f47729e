import { feedSubscription, subscriptionName } from './feed-subscription.ts';
import { answer, component, resourceName } from './fields.ts';
import { operation, SUBSCRIPTION_ACCESS } from './operation.ts';
import { SUBSCRIPTION } from './examples.ts';

/** Contains neither account nor key: the feed is bound to those of the request's authentication. */
const newSubscription = component('NewFeedSubscription', {
  name: subscriptionName,
  resource: resourceName.nullable().default(null),
});
const subscription = answer('CreatedFeedSubscription', feedSubscription);

export const createFeedSubscription = operation({
  ...SUBSCRIPTION_ACCESS,
  operationId: 'createFeedSubscription',
  writes: true,
  method: 'POST',
  path: '/api/v1/data/subscriptions',
  summary: 'Create a polling subscription',
  description: `Names a place in the feed, bound to this account, this key and one filter for ever; it starts at the head. The same name with the same
filter answers the live feed that there is, with 200; with another filter it is 409. Pro plans have room for 10 live feeds, Ultra plans for 100,
over all keys of the account.`,
  example: {
    parameters: {},
    body: { filtered: { summary: 'Meetings only', value: { name: 'meetings to warehouse', resource: 'meetings' } } },
    success: { created: { summary: 'The new feed', value: { data: SUBSCRIPTION } } },
  },
  body: { schema: newSubscription, maxBytes: 8192 },
  success: { status: 201, schema: subscription },
  otherAnswers: [
    {
      status: 200,
      when: 'A live feed of this account and key already has this name and resource.',
      schema: subscription,
    },
  ],
  refusals: [
    ...SUBSCRIPTION_ACCESS.refusals,
    'request_too_large',
    'feed_subscription_conflict',
    'feed_subscription_limit_reached',
  ],
});
