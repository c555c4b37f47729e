import { z } from 'zod';
import { MAX_SUBSCRIPTION_NAME, nameOfSubscription } from '../domain/events/subscription-events.ts';
import { atMostCharacters, uuid } from '../domain/records/fields.ts';
import { notStorable } from '../domain/key-secret.ts';
import { cursor, resourceName, timestamp } from './fields.ts';

export const subscriptionName = nameOfSubscription.refine((name) => notStorable(name) === null, {
  error: ({ input }) => notStorable(input as string) ?? undefined,
});

/** A polling subscription: a named filter and start position, permanently bound to one key. */
export const feedSubscription = z.strictObject({
  id: uuid,
  name: atMostCharacters(z.string().min(1), MAX_SUBSCRIPTION_NAME),
  resource: resourceName.nullable(),
  keyId: uuid,
  startCursor: cursor,
  createdAt: timestamp,
});
export type FeedSubscription = z.output<typeof feedSubscription>;

/** An id that is not a UUID is an unknown id: 404, not 400. */
export const subscriptionParams = z.strictObject({ subscriptionId: z.string().meta({ wire: { type: 'string', format: 'uuid' } }) });
