import { sql } from 'slonik';
import { z } from 'zod';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { ACCOUNTS } from '../../projections/accounts/tables.ts';
import { liveTokens } from '../live-tables.ts';

const feedReader = z.object({
  keyId: z.string(),
  accountId: z.string(),
  readAt: z.number(),
  unreadSince: z.number().nullable(),
});

/** Returns the valid keys whose cursors expire first. All times are clock milliseconds. */
export const listFeedReaders = (reads: LiveReads, now: number, limit: number) =>
  reads.many((live) => {
    const { keys, isLive } = liveTokens(ACCOUNTS, live);
    return sql.type(feedReader)`
      select r.key_id as "keyId", k.account_id as "accountId", r.read_at as "readAt", r.unread_since as "unreadSince"
      from civic.feed_reads r cross join lateral (
        select account_id from ${keys} where key_id = r.key_id and revoked_at is null
          and (expires_at is null or expires_at > ${now}::bigint) and ${isLive} limit 1) k
      order by coalesce(r.unread_since, r.read_at), r.key_id limit ${limit}`;
  });
