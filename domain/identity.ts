import type { Scope } from './events/account-events.ts';
import type { BillingFacts } from './plans.ts';

/** A presented key and its account. Times are milliseconds since the epoch. */
export interface KeyIdentity extends BillingFacts {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly accountStatus: 'active' | 'suspended';
}
