import { sql } from 'slonik';
import { z } from 'zod';
import { ACCOUNTS } from '../../projections/accounts/tables.ts';
import { AUDIT } from '../../projections/audit/tables.ts';
import { channel, tier } from '../../domain/events/account-events.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { isTime } from '../fields.ts';
import { liveSubscriptions } from '../feed/feed-subscriptions.ts';
import { liveTokens } from '../live-tables.ts';

const listedAccount = z.object({
  accountId: z.string(),
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  channel,
  tier,
  paidUntil: isTime.nullable(),
  paidAt: isTime.nullable(),
  openedAt: isTime,
});

/** Returns all accounts, oldest first. An installation has few of them. */
export const listAccounts = (reads: LiveReads) =>
  reads.many((live) => {
    const { accounts, isLive } = liveTokens(ACCOUNTS, live);
    return sql.type(listedAccount)`
      select account_id as "accountId", name, status, channel, tier, paid_until as "paidUntil", paid_at as "paidAt",
        opened_at as "openedAt"
      from ${accounts} where ${isLive} order by opened_at, account_id`;
  });

const listedSecret = z.object({
  keyId: z.string(),
  label: z.string().nullable(),
  accountId: z.string(),
  scopes: z.string().transform((text) => text.split(' ')),
  issuedAt: isTime,
  expiresAt: isTime.nullable(),
  revokedAt: isTime.nullable(),
  secretIssuedAt: isTime,
  secretExpiresAt: isTime.nullable(),
  secretLastUsedAt: isTime.nullable(),
});
type ListedSecret = z.output<typeof listedSecret>;

/** Builds a key from its secrets, which are ascending: ISO 8601 times in UTC sort as text. */
function keyOf(secrets: readonly ListedSecret[]) {
  const { keyId, label, accountId, scopes, issuedAt, expiresAt, revokedAt } = secrets[0]!;
  const useTimes = secrets.flatMap(({ secretLastUsedAt }) => secretLastUsedAt ?? []).toSorted();
  return {
    keyId,
    label,
    accountId,
    scopes,
    issuedAt,
    lastUsedAt: useTimes.at(-1) ?? null,
    expiresAt,
    revokedAt,
    /** The last secret is the current one. */
    secrets: secrets.map((each) => ({
      issuedAt: each.secretIssuedAt,
      expiresAt: each.secretExpiresAt,
      lastUsedAt: each.secretLastUsedAt,
    })),
  };
}

async function selectKeys(reads: LiveReads, column: 'account_id' | 'key_id', id: string) {
  const secrets = await reads.many((live) => {
    const { keys, isLive } = liveTokens(ACCOUNTS, live);
    // Read the row as JSON: version 4 of the read model has one secret per key and lacks the columns of the key.
    return sql.type(listedSecret)`
      select k.key_id as "keyId", of_key.label, k.account_id as "accountId", k.scopes,
        of_key.key_issued_at as "issuedAt", of_key.key_expires_at as "expiresAt", k.revoked_at as "revokedAt",
        k.issued_at as "secretIssuedAt", k.expires_at as "secretExpiresAt", u.used_at as "secretLastUsedAt"
      from ${keys} k left join civic.key_uses u on u.sha256 = k.sha256
        cross join jsonb_to_record(jsonb_build_object(
          'key_issued_at', k.issued_at, 'key_expires_at', k.expires_at, 'is_current', true) || to_jsonb(k))
          as of_key (key_issued_at bigint, key_expires_at bigint, is_current boolean, label text)
      where ${sql.identifier(['k', column])} = ${id}::uuid and ${isLive}
      order by of_key.key_issued_at, k.key_id, of_key.is_current, k.issued_at`;
  });
  return [...Map.groupBy(secrets, ({ keyId }) => keyId).values()].map(keyOf);
}

/** Returns all keys of an account, oldest first, without hashes. The last use is accurate to about an hour. */
export const listKeys = (reads: LiveReads, accountId: string) => selectKeys(reads, 'account_id', accountId);

/** Returns the key with this id, or null, for operators who do not know its account. */
export const findKey = async (reads: LiveReads, keyId: string) => (await selectKeys(reads, 'key_id', keyId))[0] ?? null;

const bound = z.object({ id: z.string() });

/** Counts the live polling subscriptions of a key. `now` is in clock milliseconds. */
export async function countSubscriptions(reads: LiveReads, keyId: string, now: number): Promise<number> {
  const subscriptions = await reads.many(
    (live) =>
      sql.type(bound)`select s.subscription_id as "id" ${liveSubscriptions(live, now)} and s.key_id = ${keyId}::uuid`,
  );
  return subscriptions.length;
}

const auditEntry = z.object({
  at: isTime,
  action: z.string(),
  subject: z.string(),
  keyId: z.string().nullable(),
  requestId: z.string().nullable(),
});

/** Returns the writes of and for an account with key and request, newest last. Empty for an unknown account. */
export const listAudit = (reads: LiveReads, accountId: string) =>
  reads.many((live) => {
    const { audit, isLive } = liveTokens(AUDIT, live);
    return sql.type(auditEntry)`
      select at, action, subject, key_id as "keyId", request_id as "requestId"
      from ${audit} where account_id = ${accountId}::uuid and ${isLive} order by position`;
  });
