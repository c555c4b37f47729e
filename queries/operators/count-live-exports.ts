import { sql } from 'slonik';
import { z } from 'zod';
import { ACCOUNTS, keysTable } from '../../projections/accounts/tables.ts';
import { SNAPSHOTS, snapshotsTable } from '../../projections/snapshots/tables.ts';
import { SUBSCRIPTIONS, subscriptionsTable } from '../../projections/subscriptions/tables.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { liveTable } from '../live-table.ts';

/** Counting stops here to bound its cost; this count means at least so many. */
export const COUNTED_UP_TO = 100_000;

const counted = z.object({ snapshots: z.number(), subscriptions: z.number() });
export type LiveExports = Readonly<z.output<typeof counted>>;

/** Snapshots that can be read and subscriptions whose key is alive, of all accounts; each up to `COUNTED_UP_TO`. `now` in clock milliseconds. */
export async function countLiveExports(reads: LiveReads, now: number): Promise<LiveExports> {
  const [row] = await reads.many((generation) => {
    const snapshots = liveTable(SNAPSHOTS, generation(SNAPSHOTS), snapshotsTable);
    const subscriptions = liveTable(SUBSCRIPTIONS, generation(SUBSCRIPTIONS), subscriptionsTable);
    const keys = liveTable(ACCOUNTS, generation(ACCOUNTS), keysTable);
    return sql.type(counted)`
      select
        (select count(*) from (
          select from ${snapshots.name} where expires_at > ${now}::bigint and ${snapshots.isLive} limit ${COUNTED_UP_TO}) s) as snapshots,
        (select count(*) from (
          select from ${subscriptions.name} s join ${keys.name} k on k.key_id = s.key_id
          where s.revoked_at is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now}::bigint)
            and ${subscriptions.isLive} and ${keys.isLive} limit ${COUNTED_UP_TO}) s) as subscriptions`;
  });
  return row!;
}
