import { z } from 'zod';
import { SUBSCRIPTION_REFUSALS, subscriptionParams } from './feed-subscription.ts';
import { cursor, limit } from './fields.ts';
import { operation } from './operation.ts';
import { changesPage } from './read-civic-changes.ts';

/** The filter is the subscription's own; left out, the cursor is its start. */
export const readFeedSubscriptionChanges = operation({
  operationId: 'readFeedSubscriptionChanges',
  method: 'GET',
  path: '/api/v1/data/subscriptions/{subscriptionId}/changes',
  access: 'key',
  scope: 'civic:read',
  surface: 'subscriptions',
  params: subscriptionParams,
  query: z.strictObject({ cursor: cursor.optional(), limit }),
  body: null,
  success: { status: 200, schema: changesPage },
  refusals: [...SUBSCRIPTION_REFUSALS, 'not_found', 'cursor_expired'],
});
