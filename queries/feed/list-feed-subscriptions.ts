import { sql } from 'slonik';
import { z } from 'zod';
import { ACCOUNTS, keysTable } from '../../projections/accounts/tables.ts';
import { SUBSCRIPTIONS, subscriptionsTable } from '../../projections/subscriptions/tables.ts';
import type { ListSubscriptionsInput } from '../../contract/inputs.ts';
import type { FeedSubscriptions } from '../../contract/list-feed-subscriptions.ts';
import type { QueryContext } from '../../domain/ports/projection.ts';
import { RESOURCES } from '../../domain/records/resources.ts';
import { isTime, liveTable } from '../live-table.ts';

const listed = z.object({
  id: z.string(),
  name: z.string(),
  resource: z.enum(RESOURCES).nullable(),
  keyId: z.string(),
  startCursor: z.string(),
  createdAt: isTime,
});

/**
 * The live subscriptions of exactly this key, oldest first, and how many live ones the whole account has (GET /api/v1/data/subscriptions).
 * One statement: of an account there are never many more than its plan allows.
 */
export const createListFeedSubscriptions =
  ({ reads, clock }: QueryContext) =>
  async ({ accountId, keyId, cap }: ListSubscriptionsInput): Promise<FeedSubscriptions> => {
    const live = await reads.many((generation) => {
      const subscriptions = liveTable(SUBSCRIPTIONS, generation(SUBSCRIPTIONS), subscriptionsTable);
      const keys = liveTable(ACCOUNTS, generation(ACCOUNTS), keysTable);
      return sql.type(listed)`
        select s.subscription_id as "id", s.name, s.resource, s.key_id as "keyId", s.start_cursor as "startCursor", s.created_at as "createdAt"
        from ${subscriptions.name} s join ${keys.name} k on k.key_id = s.key_id
        where s.account_id = ${accountId}::uuid and s.revoked_at is null
          and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${clock.now()}::bigint)
          and ${subscriptions.isLive} and ${keys.isLive}
        order by s.created_at, s.subscription_id`;
    });
    return { items: live.filter((each) => each.keyId === keyId), activeCount: live.length, maxActiveSubscriptions: cap };
  };
