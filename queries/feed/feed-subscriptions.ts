import { SUBSCRIPTIONS } from '../../projections/subscriptions/tables.ts';
import type { ListSubscriptionsInput, SubscriptionPlace } from '../../contract/inputs.ts';
import type { TextRow } from '../../domain/ports/database.ts';
import { type LiveReads, type QueryContext, requireLive } from '../../domain/ports/projection.ts';
import { type Resource, RESOURCES } from '../../domain/records/resources.ts';
import { sql } from 'slonik';
import { z } from 'zod';
import { ACCOUNTS } from '../../projections/accounts/tables.ts';
import type { FeedSubscriptions } from '../../contract/list-feed-subscriptions.ts';
import { isTime, liveTable } from '../live-table.ts';

/** The part of a subscription that a poll reads. */
interface FoundSubscription {
  readonly resource: Resource | null;
  readonly startCursor: string;
}

/** The subscription of this id if it is exactly this key's and not revoked; null otherwise. */
export async function findLiveSubscription(reads: LiveReads, place: SubscriptionPlace): Promise<FoundSubscription | null> {
  const row = await find(reads, 'resource, start_cursor', 'revoked_at is null', place);
  return row === undefined ? null : { resource: row[0] as Resource | null, startCursor: row[1]! };
}

/** The time when the subscription was revoked, ISO 8601; null where it was not, or belongs to another key. */
export async function findRevocation(reads: LiveReads, place: SubscriptionPlace): Promise<string | null> {
  const row = await find(reads, 'revoked_at', 'revoked_at is not null', place);
  return row === undefined ? null : new Date(Number(row[0])).toISOString();
}

async function find(
  reads: LiveReads,
  columns: string,
  condition: 'revoked_at is null' | 'revoked_at is not null',
  { subscriptionId, accountId, keyId }: SubscriptionPlace,
): Promise<TextRow | undefined> {
  const [row] = await reads.texts((live) => {
    const generation = live(SUBSCRIPTIONS.name);
    return {
      name: `find_${condition === 'revoked_at is null' ? 'live' : 'revoked'}_subscription_g${generation}`,
      text: `select ${columns} from ${SUBSCRIPTIONS.at(generation).subscriptions}
        where subscription_id = $1::uuid and account_id = $2::uuid and key_id = $3::uuid and ${condition}
          and ${requireLive(SUBSCRIPTIONS.name, generation)}`,
      values: [subscriptionId, accountId, keyId],
    };
  });
  return row;
}

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
      const subscriptions = liveTable(
        SUBSCRIPTIONS.name,
        generation(SUBSCRIPTIONS.name),
        (generation) => SUBSCRIPTIONS.at(generation).subscriptions,
      );
      const keys = liveTable(ACCOUNTS.name, generation(ACCOUNTS.name), (generation) => ACCOUNTS.at(generation).keys);
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
