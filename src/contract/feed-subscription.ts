import { z } from 'zod';
import { MAX_SUBSCRIPTION_NAME } from '../domain/events/subscription-events.ts';
import { text, uuid } from '../domain/records/fields.ts';
import { cursor, resourceName, timestamp } from './fields.ts';
import { CUSTOMER_REFUSALS } from './operation.ts';

export const subscriptionName = text.max(MAX_SUBSCRIPTION_NAME);

/** A polling subscription: a name for a filter and a start, bound to one key for ever. */
export const feedSubscription = z.strictObject({
  id: uuid,
  name: z.string().min(1).max(MAX_SUBSCRIPTION_NAME),
  resource: resourceName.nullable(),
  keyId: uuid,
  startCursor: cursor,
  createdAt: timestamp,
});
export type FeedSubscription = z.output<typeof feedSubscription>;

/** An id that is no uuid is as absent as one that nobody has: 404, not 400. */
export const subscriptionParams = z.strictObject({
  subscriptionId: z.string().meta({ wire: { type: 'string', format: 'uuid' } }),
});

/** Refusals that all four subscription operations may answer. */
export const SUBSCRIPTION_REFUSALS = [...CUSTOMER_REFUSALS, 'feed_subscription_plan_required'] as const;
