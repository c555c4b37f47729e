import type { z } from 'zod';
import type { accountOpened, channel, Scope, tier } from '../../domain/events/account-events.ts';

export type Tier = z.output<typeof tier>;
export type Channel = z.output<typeof channel>;

/** Commands of an account. Times are ISO 8601 in UTC with milliseconds. */
export type AccountCommand =
  | ({ readonly type: 'OpenAccount' } & Readonly<z.output<typeof accountOpened>>)
  | { readonly type: 'SetPeriod'; readonly tier: Tier; readonly paidUntil: string }
  | { readonly type: 'SetChannel'; readonly channel: Channel }
  | { readonly type: 'ConfirmPayment'; readonly paidAt: string }
  | { readonly type: 'SuspendAccount' }
  | { readonly type: 'ResumeAccount' }
  | {
      readonly type: 'IssueKey';
      readonly keyId: string;
      readonly sha256: string;
      readonly scopes: readonly Scope[];
      readonly expiresAt: string | null;
    }
  | { readonly type: 'RevokeKey'; readonly keyId: string };
