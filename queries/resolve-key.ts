import { ACCOUNTS, accountsTable, keysTable } from '../projections/accounts/tables.ts';
import type { Scope } from '../src/domain/events/account-events.ts';
import type { KeyIdentity } from '../src/domain/identity.ts';
import { type LiveReads, requireLive } from '../src/domain/ports/projection.ts';

/** Whose key has this hash (64 lower-case hex digits of SHA-256), or null; one round trip. Throws what the database throws. */
export const resolveKey = async (reads: LiveReads, sha256: string): Promise<KeyIdentity | null> => {
  const [row] = await reads.texts((live) => {
    const generation = live(ACCOUNTS);
    return {
      name: `resolve_key_g${generation}`,
      text: `select k.key_id, k.account_id, k.scopes, k.expires_at, k.revoked_at, a.status, a.channel, a.tier, a.paid_until, a.paid_at
        from ${keysTable(generation)} k join ${accountsTable(generation)} a on a.account_id = k.account_id
        where k.sha256 = $1 and ${requireLive(ACCOUNTS, generation)}`,
      values: [sha256],
    };
  });
  if (row === undefined) return null;
  const [keyId, accountId, scopes, expiresAt, revokedAt, status, channel, tier, paidUntil, paidAt] = row;
  return {
    keyId: keyId!,
    accountId: accountId!,
    scopes: scopes!.split(' ') as Scope[],
    expiresAt: time(expiresAt),
    revokedAt: time(revokedAt),
    accountStatus: status as KeyIdentity['accountStatus'],
    channel: channel as KeyIdentity['channel'],
    tier: tier as KeyIdentity['tier'],
    paidUntil: time(paidUntil),
    paidAt: time(paidAt),
  };
};

const time = (text: string | null | undefined): number | null => (text === null || text === undefined ? null : Number(text));
