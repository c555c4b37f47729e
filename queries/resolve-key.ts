import { ACCOUNTS, accountsTable, keysTable } from '../projections/accounts/tables.ts';
import type { Scope } from '../src/domain/events/account-events.ts';
import type { KeyIdentity } from '../src/domain/identity.ts';
import type { Statement, TextRow } from '../src/domain/ports/database.ts';
import { type LiveReads, requireLive } from '../src/domain/ports/projection.ts';

/** Keys by their hashes: one round trip, whatever their number. */
const keysByHash = (generation: number, hashes: readonly string[]): Statement => ({
  name: `resolve_keys_g${generation}`,
  text: `select k.sha256, k.key_id, k.account_id, k.scopes, k.expires_at, k.revoked_at, a.status, a.channel, a.tier, a.paid_until, a.paid_at
    from ${keysTable(generation)} k join ${accountsTable(generation)} a on a.account_id = k.account_id
    where k.sha256 = any($1::text[]) and ${requireLive(ACCOUNTS, generation)}`,
  values: [hashes],
});

const toIdentity = ([
  ,
  keyId,
  accountId,
  scopes,
  expiresAt,
  revokedAt,
  status,
  channel,
  tier,
  paidUntil,
  paidAt,
]: TextRow): KeyIdentity => ({
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
});

/** Whose key has this hash (64 lower-case hex digits of SHA-256), or null. Throws what the database throws. */
export type ResolveKey = (sha256: string) => Promise<KeyIdentity | null>;

/**
 * Requests that come in one turn of the event loop share one look-up. None joins a look-up that has been sent: what it would be told
 * could be older than its own request, and a key revoked in between would pass.
 */
export const createResolveKey = (reads: LiveReads): ResolveKey => {
  let waiting: Map<string, PromiseWithResolvers<KeyIdentity | null>> | undefined;
  const send = async (asked: ReadonlyMap<string, PromiseWithResolvers<KeyIdentity | null>>) => {
    try {
      const rows = await reads.texts((live) => keysByHash(live(ACCOUNTS), [...asked.keys()]));
      const found = new Map(rows.map((row) => [row[0]!, toIdentity(row)]));
      for (const [sha256, { resolve }] of asked) resolve(found.get(sha256) ?? null);
    } catch (error) {
      for (const { reject } of asked.values()) reject(error);
    }
  };
  return (sha256) => {
    if (waiting === undefined) {
      const asked = new Map<string, PromiseWithResolvers<KeyIdentity | null>>();
      waiting = asked;
      setImmediate(() => {
        waiting = undefined;
        void send(asked);
      });
    }
    const asked = waiting.get(sha256) ?? Promise.withResolvers<KeyIdentity | null>();
    waiting.set(sha256, asked);
    return asked.promise;
  };
};

const time = (text: string | null | undefined): number | null => (text === null || text === undefined ? null : Number(text));
