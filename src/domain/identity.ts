import type { z } from 'zod';
import type { channel, Scope, tier } from './events/account-events.ts';

/** What is known of a presented key and its account. Times are milliseconds since the epoch. */
export interface KeyIdentity {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly accountStatus: 'active' | 'suspended';
  readonly channel: z.output<typeof channel>;
  readonly tier: z.output<typeof tier>;
  readonly paidUntil: number | null;
  /** The latest confirmed payment. */
  readonly paidAt: number | null;
}
