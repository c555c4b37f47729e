import { z } from 'zod';
import { MAX_SUBSCRIPTION_NAME, nameOfSubscription } from '../domain/events/account-events.ts';
import { atMostCharacters, uuid } from '../domain/records/fields.ts';
import { notStorable } from '../domain/key-secret.ts';
import { component, createdAt, cursor, id, resourceName } from './fields.ts';

const NAME = 'Name.';

export const subscriptionName = nameOfSubscription
  .refine((name) => notStorable(name) === null, { error: ({ input }) => notStorable(input as string) ?? undefined })
  .describe(NAME);

export const feedSubscription = component('FeedSubscription', {
  id,
  name: atMostCharacters(z.string().min(1), MAX_SUBSCRIPTION_NAME).describe(NAME),
  resource: resourceName.nullable(),
  keyId: uuid.describe('The key that it is bound to.'),
  startCursor: cursor.describe('Where the feed begins.'),
  createdAt,
});
export type FeedSubscription = z.output<typeof feedSubscription>;

/** An id that is not a UUID is an unknown id: 404, not 400. */
export const subscriptionParams = z.strictObject({
  subscriptionId: z
    .string()
    .meta({ wire: { type: 'string', format: 'uuid' }, description: 'Identifier of the subscription.' }),
});
