import type { z } from 'zod';
import type { channel, Scope, tier } from './events/account-events.ts';
import type { Bucket, BucketState } from './ports/counts.ts';
import { DAY_MS } from './durations.ts';

export type Tier = z.output<typeof tier>;
export type Channel = z.output<typeof channel>;

/** The billing state of an account. Times are milliseconds since the epoch. */
export interface BillingFacts {
  readonly channel: Channel;
  readonly tier: Tier;
  readonly paidUntil: number | null;
  readonly paidAt: number | null;
}

/** Live polling subscriptions that an account may have, counted over all of its keys. */
export const SUBSCRIPTION_CAPS: Readonly<Record<Tier, number>> = { none: 0, pro: 10, ultra: 100 };

/** Milliseconds of access to reports after a confirmed payment. */
export const PAYMENT_COVERS_MS = 30 * DAY_MS;

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

export interface Allowances {
  readonly requestsPerMinute: number;
  /** Requests per second. */
  readonly burstLimit: number;
  readonly exportRequestsPerHour: number;
  readonly maxPageSize: number;
  /** Bytes of a serialized response body, before compression. */
  readonly maxResponseBytes: number;
}

/** `default` applies to every account without a current paid period, and to a paid account without a tier. */
export const PLAN_NAMES = ['default', 'pro', 'ultra'] as const;
type PlanName = (typeof PLAN_NAMES)[number];
export type Plans = Readonly<Record<PlanName, Allowances>>;
/**
 * Abuse ceiling, the same for every plan, in windows aligned to the clock. Each request counts, including a refused
 * one.
 */
export type AbuseCeiling = Readonly<
  Record<'sustained' | 'burst', { readonly requests: number; readonly seconds: number }>
>;
/**
 * Abuse ceilings of an account. `received` counts every request with a known key, `handled` only those with a usable
 * one.
 */
export type AbuseCeilings = Readonly<Record<'received' | 'handled', AbuseCeiling>>;

const bucket =
  <Allowance extends keyof Allowances>(name: string, allowance: Allowance, seconds: number) =>
  (allowances: Pick<Allowances, Allowance>): Bucket => ({ name, limit: allowances[allowance], seconds });

export const minuteBucket = bucket('api-customer-minute', 'requestsPerMinute', 60);
export const burstBucket = bucket('api-customer-burst', 'burstLimit', 1);
export const exportBucket = bucket('api-customer-export-hour', 'exportRequestsPerHour', 3600);

export interface AdmissionRules {
  readonly plans: Plans;
  readonly ceilings: AbuseCeilings;
  /** If false, every key has paid access. */
  readonly billingEnforced: boolean;
}

/**
 * The result of charging one request. `states` are the minute and burst buckets; absent if the request was refused
 * before them.
 */
export type Charge =
  | { readonly kind: 'charged'; readonly states: readonly BucketState[] }
  | { readonly kind: 'exhausted'; readonly by: 'abuseCeiling'; readonly retryAfterSeconds: number }
  | {
      readonly kind: 'exhausted';
      readonly by: 'allowance';
      readonly retryAfterSeconds: number;
      readonly states: readonly BucketState[];
    }
  /** The key is revoked or expired, or its account is not active. Its allowances are not charged. */
  | { readonly kind: 'refused' };

export interface ChargedKey {
  readonly identity: KeyIdentity;
  readonly plan: PlanName;
  readonly charge: Charge;
}

/**
 * Identifies a key by its SHA-256 (64 lower-case hex digits) and charges one request in one statement; null for an
 * unknown key. `now` is in clock milliseconds.
 */
export type ChargeRequest = (sha256: string, now: number) => Promise<ChargedKey | null>;

/** Returns the facts about a key without charging it, by the key's SHA-256; null for an unknown key. */
export type LookUpKey = (sha256: string, now: number) => Promise<ChargedKey | null>;

type FurtherCharge =
  | { readonly kind: 'charged'; readonly states: readonly BucketState[] }
  | { readonly kind: 'exhausted'; readonly retryAfterSeconds: number; readonly states: readonly BucketState[] };

/** Charges more units of minute and burst for an admitted request, all or none. */
export type ChargeUnits = (
  accountId: string,
  allowances: { readonly requestsPerMinute: number; readonly burstLimit: number },
  units: number,
  now: number,
) => Promise<FurtherCharge>;

/** Returns the whole seconds from `now` to a time, both in milliseconds; at least 1. */
export const secondsUntil = (time: number, now: number): number => Math.max(1, Math.ceil((time - now) / 1000));
