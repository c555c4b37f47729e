import type { Transactor } from '../../domain/ports/database.ts';
import { requireLive } from '../../domain/ports/projection.ts';
import { ACCOUNTS } from './tables.ts';

interface Forgetting {
  /** The live generation. */
  readonly generation: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Feed reads before this time are deleted too: their cursors have expired. */
  readonly readsBefore: number;
}

/**
 * Deletes the last uses of secrets and the last reads of keys that can never be used again: revoked, expired, or
 * replaced in a rotation.
 */
export async function forgetDeadKeys(
  transactor: Transactor,
  { generation, now, readsBefore }: Forgetting,
): Promise<void> {
  const dead = (
    column: string,
  ) => `not exists (select from ${ACCOUNTS.at(generation).keys} k where k.${column} = u.${column}
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > $1::bigint)) and ${requireLive(ACCOUNTS.name, generation)}`;
  await transactor.transaction(async (transaction) => {
    await transaction.query({ text: `delete from civic.key_uses u where ${dead('sha256')}`, values: [now] });
    await transaction.query({
      text: `delete from civic.feed_reads u where u.read_at < $2::bigint or (${dead('key_id')})`,
      values: [now, readsBefore],
    });
  });
}
