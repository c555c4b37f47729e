import { sql } from 'slonik';
import { z } from 'zod';
import { ACCOUNTS } from '../../projections/accounts/tables.ts';
import { channel, tier } from '../../domain/events/account-events.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { isTime, liveTable } from '../live-table.ts';

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
export type ListedAccount = z.output<typeof listedAccount>;

/** Every account, oldest first; for operators, who have few. */
export const listAccounts = (reads: LiveReads): Promise<readonly ListedAccount[]> =>
  reads.many((live) => {
    const accounts = liveTable(ACCOUNTS.name, live(ACCOUNTS.name), (generation) => ACCOUNTS.at(generation).accounts);
    return sql.type(listedAccount)`
      select account_id as "accountId", name, status, channel, tier, paid_until as "paidUntil", paid_at as "paidAt", opened_at as "openedAt"
      from ${accounts.name} where ${accounts.isLive} order by opened_at, account_id`;
  });
