import type { z } from 'zod';
import type { channel, Scope, tier } from './events/account-events.ts';

export type Tier = z.output<typeof tier>;
export type Channel = z.output<typeof channel>;

/** The billing state of an account. Times are milliseconds since the epoch. */
export interface BillingFacts {
  readonly channel: Channel;
  readonly tier: Tier;
  readonly paidUntil: number | null;
  /** The latest confirmed payment. */
  readonly paidAt: number | null;
}

/** Live polling subscriptions that an account may have, counted over all of its keys. */
export const SUBSCRIPTION_CAPS: Readonly<Record<Tier, number>> = { none: 0, pro: 10, ultra: 100 };

/** A confirmed payment gives paid access to reports for this long. */
export const PAYMENT_COVERS_MS = 30 * 24 * 60 * 60 * 1000;

export const isPaidThrough = ({ channel, paidUntil }: BillingFacts, now: number): boolean =>
  channel === 'subscription' && paidUntil !== null && paidUntil > now;

/** A presented key and its account. Times are milliseconds since the epoch. */
export interface KeyIdentity extends BillingFacts {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly accountStatus: 'active' | 'suspended';
}
