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

/** Every account, oldest first; for operators, who have few. */
export const listAccounts = (reads: LiveReads) =>
  reads.many((live) => {
    const { accounts, isLive } = liveTokens(ACCOUNTS, live);
    return sql.type(listedAccount)`
      select account_id as "accountId", name, status, channel, tier, paid_until as "paidUntil", paid_at as "paidAt", opened_at as "openedAt"
      from ${accounts} where ${isLive} order by opened_at, account_id`;
  });

const listedKey = z.object({
  keyId: z.string(),
  accountId: z.string(),
  scopes: z.string().transform((text) => text.split(' ')),
  issuedAt: isTime,
  expiresAt: isTime.nullable(),
  revokedAt: isTime.nullable(),
});

const selectKeys = (reads: LiveReads, column: 'account_id' | 'key_id', id: string) =>
  reads.many((live) => {
    const { keys, isLive } = liveTokens(ACCOUNTS, live);
    return sql.type(listedKey)`
      select key_id as "keyId", account_id as "accountId", scopes, issued_at as "issuedAt", expires_at as "expiresAt", revoked_at as "revokedAt"
      from ${keys} where ${sql.identifier([column])} = ${id}::uuid and ${isLive} order by issued_at, key_id`;
  });

/** The keys of an account, oldest first, revoked and expired ones included; without secrets and hashes. */
export const listKeys = (reads: LiveReads, accountId: string) => selectKeys(reads, 'account_id', accountId);

/** The key of this id, or null; for operators who know a key's id and not its account. */
export const findKey = async (reads: LiveReads, keyId: string) => (await selectKeys(reads, 'key_id', keyId))[0] ?? null;

const bound = z.object({ id: z.string() });

/** The number of live polling subscriptions of a key. `now` in clock milliseconds. */
export async function countSubscriptions(reads: LiveReads, keyId: string, now: number): Promise<number> {
  const found = await reads.many(
    (live) => sql.type(bound)`select s.subscription_id as "id" ${liveSubscriptions(live, now)} and s.key_id = ${keyId}::uuid`,
  );
  return found.length;
}

const auditEntry = z.object({
  at: isTime,
  action: z.string(),
  subject: z.string(),
  keyId: z.string().nullable(),
  requestId: z.string().nullable(),
});

/** Writes of and for an account with key and request, in the order of the log, the newest last. Empty for an unknown account. */
export const listAudit = (reads: LiveReads, accountId: string) =>
  reads.many((live) => {
    const { audit, isLive } = liveTokens(AUDIT, live);
    return sql.type(auditEntry)`
      select at, action, subject, key_id as "keyId", request_id as "requestId"
      from ${audit} where account_id = ${accountId}::uuid and ${isLive} order by position`;
  });
