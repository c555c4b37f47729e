import { sql } from 'slonik';
import { z } from 'zod';
import { ACCOUNTS } from '../../projections/accounts/tables.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { isTime, liveTable } from '../live-table.ts';

const listedKey = z.object({
  keyId: z.string(),
  accountId: z.string(),
  scopes: z.string().transform((text) => text.split(' ')),
  issuedAt: isTime,
  expiresAt: isTime.nullable(),
  revokedAt: isTime.nullable(),
});
export type ListedKey = z.output<typeof listedKey>;

/** The keys of an account, oldest first, revoked and expired ones included; without secrets and hashes. */
export const listKeys = (reads: LiveReads, accountId: string): Promise<readonly ListedKey[]> =>
  selectKeys(reads, { column: 'account_id', id: accountId });

/** The key of this id, or null; for operators who know a key's id and not its account. */
export const findKey = async (reads: LiveReads, keyId: string): Promise<ListedKey | null> =>
  (await selectKeys(reads, { column: 'key_id', id: keyId }))[0] ?? null;

const selectKeys = (reads: LiveReads, { column, id }: { column: 'account_id' | 'key_id'; id: string }): Promise<readonly ListedKey[]> =>
  reads.many((live) => {
    const keys = liveTable(ACCOUNTS.name, live(ACCOUNTS.name), (generation) => ACCOUNTS.at(generation).keys);
    return sql.type(listedKey)`
      select key_id as "keyId", account_id as "accountId", scopes, issued_at as "issuedAt", expires_at as "expiresAt", revoked_at as "revokedAt"
      from ${keys.name} where ${sql.identifier([column])} = ${id}::uuid and ${keys.isLive} order by issued_at, key_id`;
  });
