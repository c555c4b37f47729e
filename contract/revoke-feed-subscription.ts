import { z } from 'zod';
import { subscriptionParams } from './feed-subscription.ts';
import { answer, id, timestamp } from './fields.ts';
import { operation, SUBSCRIPTION_ACCESS, SUBSCRIPTION_UPKEEP_REFUSALS } from './operation.ts';
import { SUBSCRIPTION_ID } from './examples.ts';

const revokedSubscription = answer(
  'RevokedFeedSubscription',
  z.strictObject({ id, revokedAt: timestamp.describe('When the feed was first revoked.') }),
);

export const revokeFeedSubscription = operation({
  ...SUBSCRIPTION_ACCESS,
  operationId: 'revokeFeedSubscription',
  writes: true,
  method: 'DELETE',
  path: '/api/v1/data/subscriptions/{subscriptionId}',
  summary: 'Revoke a subscription',
  description:
    'Ends the feed permanently and frees its place at once. Repeating the call returns the first time of revocation.',
  example: {
    parameters: { subscriptionId: SUBSCRIPTION_ID },
    success: {
      revoked: { summary: 'Revoked', value: { data: { id: SUBSCRIPTION_ID, revokedAt: '2026-04-11T08:00:00.000Z' } } },
    },
  },
  params: subscriptionParams,
  success: { status: 200, schema: revokedSubscription },
  refusals: [...SUBSCRIPTION_UPKEEP_REFUSALS, 'not_found'],
});
