import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import { SUBSCRIPTION_REFUSALS, subscriptionParams } from './feed-subscription.ts';
import { noQuery, timestamp } from './fields.ts';
import { operation } from './operation.ts';

/** A repeated call answers the first time of revocation. */
export const revokedSubscription = z.strictObject({ data: z.strictObject({ id: uuid, revokedAt: timestamp }) });

export const revokeFeedSubscription = operation({
  operationId: 'revokeFeedSubscription',
  method: 'DELETE',
  path: '/api/v1/data/subscriptions/{subscriptionId}',
  access: 'key',
  scope: 'civic:read',
  surface: 'subscriptions',
  params: subscriptionParams,
  query: noQuery,
  body: null,
  success: { status: 200, schema: revokedSubscription },
  refusals: [...SUBSCRIPTION_REFUSALS, 'not_found'],
});
