import { z } from 'zod';
import { MAX_CURSOR_LENGTH } from '../cursor.ts';
import { atMostCharacters, dateTime, orNull, text, uuid } from '../records/fields.ts';
import { RESOURCES } from '../records/resources.ts';
import { eventReader, type EventsOf } from './event-reader.ts';

export const MAX_SUBSCRIPTION_NAME = 80;

/** Trimmed, NFC, 1 to 80 characters. */
export const nameOfSubscription = atMostCharacters(text, MAX_SUBSCRIPTION_NAME);

/** Events on `account_feeds-<accountId>`: the polling subscriptions of an account, of all of its keys. */
export const feedSubscriptionCreated = z.strictObject({
  id: uuid,
  name: nameOfSubscription,
  resource: orNull(z.enum(RESOURCES)),
  keyId: uuid,
  /** As it was issued; null for a key that does not expire. */
  keyExpiresAt: orNull(dateTime),
  /** The feed's high-water mark at the creation, bound to the filter. */
  startCursor: z.string().min(1).max(MAX_CURSOR_LENGTH),
  createdAt: dateTime,
  /** Feeds whose keys had expired or been revoked by then: their slots were free for this one. */
  lapsed: z.array(uuid),
});

export const SUBSCRIPTION_EVENTS = {
  FeedSubscriptionCreated: feedSubscriptionCreated,
  FeedSubscriptionRevoked: z.strictObject({ id: uuid, revokedAt: dateTime }),
} as const;

export type SubscriptionEvent = EventsOf<typeof SUBSCRIPTION_EVENTS>;
export const readSubscriptionEvent = eventReader(SUBSCRIPTION_EVENTS, 'event of a polling subscription');
