import type { AbuseCeilings, PlanName, Plans } from '../allowances.ts';
import type { KeyIdentity } from '../identity.ts';
import type { BucketState } from './window-counts.ts';

/** By what requests are counted and judged. */
export interface AdmissionRules {
  readonly plans: Plans;
  readonly ceilings: AbuseCeilings;
  /** Off: paid access counts as given everywhere. */
  readonly billingEnforced: boolean;
}

/** What became of one request at the counters. `states` are those of minute and burst, once they were looked at. */
export type Charge =
  | { readonly kind: 'charged'; readonly states: readonly BucketState[] }
  | { readonly kind: 'exhausted'; readonly by: 'perimeter' | 'handler'; readonly retryAfterSeconds: number }
  | { readonly kind: 'exhausted'; readonly by: 'allowance'; readonly retryAfterSeconds: number; readonly states: readonly BucketState[] }
  /** The key is revoked or expired, or its account is not active: its allowances were left alone. */
  | { readonly kind: 'unusable' };

export interface ChargedKey {
  readonly identity: KeyIdentity;
  /** The plan whose allowances hold now. */
  readonly plan: PlanName;
  readonly charge: Charge;
}

/**
 * Finds whose key has this hash (64 lower-case hex digits of SHA-256) and charges a request to its account, in one step; null for an
 * unknown key, which is charged to nobody. `now` is clock milliseconds. Throws what the database throws.
 */
export type ChargeRequest = (sha256: string, now: number) => Promise<ChargedKey | null>;

export type FurtherCharge =
  | { readonly kind: 'charged'; readonly states: readonly BucketState[] }
  | { readonly kind: 'exhausted'; readonly retryAfterSeconds: number; readonly states: readonly BucketState[] };

/** Takes further units of minute and burst from an account that a request of its has been admitted for: all of them or none. */
export type ChargeFurther = (
  accountId: string,
  allowances: { readonly requestsPerMinute: number; readonly burstLimit: number },
  units: number,
  now: number,
) => Promise<FurtherCharge>;
