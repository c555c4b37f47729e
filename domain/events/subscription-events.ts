import { z } from 'zod';
import { MAX_CURSOR_LENGTH } from '../cursor-text.ts';
import type { StoredEvent } from '../ports/event-log.ts';
import { atMostCharacters, dateTime, orNull, text, uuid } from '../records/fields.ts';
import { RESOURCES } from '../records/resources.ts';

/** Longest name of a feed, in characters after trimming. */
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
export const feedSubscriptionRevoked = z.strictObject({ id: uuid, revokedAt: dateTime });

export const SUBSCRIPTION_EVENTS = {
  FeedSubscriptionCreated: feedSubscriptionCreated,
  FeedSubscriptionRevoked: feedSubscriptionRevoked,
} as const;

export type SubscriptionEventType = keyof typeof SUBSCRIPTION_EVENTS;
export type SubscriptionEvent = {
  [T in SubscriptionEventType]: { readonly type: T; readonly data: z.output<(typeof SUBSCRIPTION_EVENTS)[T]> };
}[SubscriptionEventType];

/** A subscription event as stored in any version, in its current shape. Throws for an event of another category. */
export const readSubscriptionEvent = (stored: Pick<StoredEvent, 'type' | 'data'>): SubscriptionEvent => {
  if (!Object.hasOwn(SUBSCRIPTION_EVENTS, stored.type)) throw new Error(`${stored.type} is no event of a polling subscription`);
  const type = stored.type as SubscriptionEventType;
  return { type, data: SUBSCRIPTION_EVENTS[type].parse(JSON.parse(stored.data)) } as SubscriptionEvent;
};
