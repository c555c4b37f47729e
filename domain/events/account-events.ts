import { z } from 'zod';
import { MAX_CURSOR_LENGTH } from '../cursor.ts';
import { eventReader, type EventsOf } from './event-reader.ts';
import { NOT_BILLED } from '../payments/payment.ts';
import { atMostCharacters, dateTime, orNull, text, uuid } from '../records/fields.ts';
import { RESOURCES } from '../records/resources.ts';

/**
 * Events on `account-<accountId>`: the account, its keys, its billing facts and the outcomes of its payments. They
 * contain the SHA-256 of a secret, never the secret.
 */
export const SCOPES = ['civic:read', 'civic:export', 'mcp:read'] as const;
export const scope = z.enum(SCOPES);
export type Scope = z.output<typeof scope>;

export const tier = z.enum(['none', 'pro', 'ultra']);
export const channel = z.enum(['unset', 'subscription', 'payg']);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const accountOpened = z.strictObject({ name: text.max(200), channel, tier, paidUntil: orNull(dateTime) });
export const accountSuspended = z.strictObject({});
export const keyIssued = z.strictObject({
  keyId: uuid,
  sha256,
  scopes: z.array(scope).min(1),
  expiresAt: orNull(dateTime),
});
export const MAX_KEY_LABEL = 80;
/** A key received a new secret. Every earlier one ends at `formerUntil`, or at its own earlier end. */
export const keyRotated = z.strictObject({ keyId: uuid, sha256, formerUntil: dateTime });
const keyLabelled = z.strictObject({ keyId: uuid, label: atMostCharacters(text, MAX_KEY_LABEL) });
export const keyRevoked = z.strictObject({ keyId: uuid });

/**
 * One payment for one call: hashes, and amounts in the smallest units of the asset; nothing that could be used to pay.
 */
const paymentMade = { paymentId: uuid, amount: z.string().regex(/^[1-9][0-9]*$/), requestHash: sha256 };

export const ACCOUNT_EVENTS = {
  AccountOpened: accountOpened,
  AccountPeriodSet: z.strictObject({ tier, paidUntil: dateTime }),
  AccountChannelSet: z.strictObject({ channel }),
  AccountPaymentConfirmed: z.strictObject({ paidAt: dateTime }),
  AccountSuspended: accountSuspended,
  AccountResumed: z.strictObject({}),
  KeyIssued: keyIssued,
  KeyLabelled: keyLabelled,
  KeyRotated: keyRotated,
  KeyRevoked: keyRevoked,
  AccountPaymentVerified: z.strictObject({ ...paymentMade, termsHash: sha256 }),
  AccountPaymentSettled: z.strictObject({
    ...paymentMade,
    resultHash: sha256,
    transaction: z.string().regex(/^0x[0-9a-f]{64}$/),
    settledAt: dateTime,
  }),
  AccountPaymentFailed: z.strictObject({
    ...paymentMade,
    outcome: z.enum(NOT_BILLED),
    cause: orNull(z.string().max(200)),
  }),
} as const;

export type AccountEvent = EventsOf<typeof ACCOUNT_EVENTS>;
export const readAccountEvent = eventReader(ACCOUNT_EVENTS, 'event of an account');

export const MAX_SUBSCRIPTION_NAME = 80;
export const nameOfSubscription = atMostCharacters(text, MAX_SUBSCRIPTION_NAME);

/** Events on `account_feeds-<accountId>`: the polling subscriptions of all keys of an account. */
export const feedSubscriptionCreated = z.strictObject({
  id: uuid,
  name: nameOfSubscription,
  resource: orNull(z.enum(RESOURCES)),
  keyId: uuid,
  /** Expiry at the time of issue; null for a key that does not expire. */
  keyExpiresAt: orNull(dateTime),
  /** The feed's high-water mark at the creation, bound to the filter. */
  startCursor: z.string().min(1).max(MAX_CURSOR_LENGTH),
  createdAt: dateTime,
  /** Feeds whose keys had expired or been revoked, so that their slots were free for this one. */
  lapsed: z.array(uuid),
});

export const SUBSCRIPTION_EVENTS = {
  FeedSubscriptionCreated: feedSubscriptionCreated,
  FeedSubscriptionRevoked: z.strictObject({ id: uuid, revokedAt: dateTime }),
} as const;

export type SubscriptionEvent = EventsOf<typeof SUBSCRIPTION_EVENTS>;
export const readSubscriptionEvent = eventReader(SUBSCRIPTION_EVENTS, 'event of a polling subscription');
