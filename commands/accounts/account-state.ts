import type { Channel, Tier } from './account-commands.ts';

/** What an account's history must tell to decide: its status, channel, latest period and payment, and its keys. */
export type AccountState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'open';
      readonly suspended: boolean;
      readonly channel: Channel;
      readonly tier: Tier;
      readonly paidUntil: string | null;
      readonly paidAt: string | null;
      /** By key id. */
      readonly keys: ReadonlyMap<string, { readonly sha256: string; readonly revoked: boolean }>;
    };
