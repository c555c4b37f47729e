import type { AbuseCeilings, KeyIdentity, PlanName, Plans } from '../plans.ts';
import type { BucketState } from './counts.ts';

export interface AdmissionRules {
  readonly plans: Plans;
  readonly ceilings: AbuseCeilings;
  /** False: every key has paid access. */
  readonly billingEnforced: boolean;
}

/** The result of charging one request. `states` are the buckets of minute and burst; absent where the request was refused before them. */
export type Charge =
  | { readonly kind: 'charged'; readonly states: readonly BucketState[] }
  | { readonly kind: 'exhausted'; readonly by: 'perimeter' | 'handler'; readonly retryAfterSeconds: number }
  | { readonly kind: 'exhausted'; readonly by: 'allowance'; readonly retryAfterSeconds: number; readonly states: readonly BucketState[] }
  /** The key is revoked or expired, or its account is not active. Its allowances are not charged. */
  | { readonly kind: 'refused' };

export interface ChargedKey {
  readonly identity: KeyIdentity;
  readonly plan: PlanName;
  readonly charge: Charge;
}

/** By the key's SHA-256 (64 lower-case hex digits), in one statement; null for an unknown key. `now` is clock milliseconds. */
export type ChargeRequest = (sha256: string, now: number) => Promise<ChargedKey | null>;

export type FurtherCharge =
  | { readonly kind: 'charged'; readonly states: readonly BucketState[] }
  | { readonly kind: 'exhausted'; readonly retryAfterSeconds: number; readonly states: readonly BucketState[] };

/** Charges further units of minute and burst for a request that was admitted: all of them or none. */
export type ChargeUnits = (
  accountId: string,
  allowances: { readonly requestsPerMinute: number; readonly burstLimit: number },
  units: number,
  now: number,
) => Promise<FurtherCharge>;
