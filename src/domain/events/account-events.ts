import { z } from 'zod';
import { dateTime, orNull, text, uuid } from '../records/fields.ts';

/** Events on `account-<accountId>`: the account, its keys and its billing facts. A key's secret is in none of them, only its SHA-256. */
export const SCOPES = ['civic:read', 'civic:export', 'mcp:read'] as const;
export const scope = z.enum(SCOPES);
export type Scope = z.output<typeof scope>;

export const tier = z.enum(['none', 'pro', 'ultra']);
export const channel = z.enum(['unset', 'subscription', 'payg']);

export const accountOpened = z.strictObject({ name: text.max(200), channel, tier, paidUntil: orNull(dateTime) });
export const accountPeriodSet = z.strictObject({ tier, paidUntil: dateTime });
export const accountChannelSet = z.strictObject({ channel });
export const accountPaymentConfirmed = z.strictObject({ paidAt: dateTime });
export const accountSuspended = z.strictObject({});
export const accountResumed = z.strictObject({});
export const keyIssued = z.strictObject({
  keyId: uuid,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  scopes: z.array(scope).min(1),
  expiresAt: orNull(dateTime),
});
export const keyRevoked = z.strictObject({ keyId: uuid });

export const ACCOUNT_EVENTS = {
  AccountOpened: accountOpened,
  AccountPeriodSet: accountPeriodSet,
  AccountChannelSet: accountChannelSet,
  AccountPaymentConfirmed: accountPaymentConfirmed,
  AccountSuspended: accountSuspended,
  AccountResumed: accountResumed,
  KeyIssued: keyIssued,
  KeyRevoked: keyRevoked,
} as const;

export type AccountEventType = keyof typeof ACCOUNT_EVENTS;
export type AccountEvent = {
  [T in AccountEventType]: { readonly type: T; readonly data: z.output<(typeof ACCOUNT_EVENTS)[T]> };
}[AccountEventType];
