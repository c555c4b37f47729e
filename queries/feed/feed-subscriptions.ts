import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type {
  ChangesInput,
  JsonPage,
  ListSubscriptionsInput,
  SubscriptionChangesInput,
  SubscriptionPlace,
} from '../../contract/inputs.ts';
import type { FeedSubscriptions } from '../../contract/list-feed-subscriptions.ts';
import type { LiveGeneration, LiveReads, QueryContext } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { type Resource, RESOURCES } from '../../domain/records/resources.ts';
import { ACCOUNTS } from '../../projections/accounts/tables.ts';
import { SUBSCRIPTIONS } from '../../projections/subscriptions/tables.ts';
import { isoTime, isTime } from '../fields.ts';
import { liveStatement, liveTokens } from '../live-tables.ts';

interface FoundSubscription {
  readonly resource: Resource | null;
  readonly startCursor: string;
  readonly revokedAt: number | null;
}

/** Finds a subscription of exactly this key. */
async function find(
  reads: LiveReads,
  state: 'live' | 'revoked',
  { subscriptionId, accountId, keyId }: SubscriptionPlace,
): Promise<FoundSubscription | undefined> {
  const [row] = await reads.rows<FoundSubscription>(
    liveStatement(SUBSCRIPTIONS, {
      name: `find_${state}_subscription`,
      text: ({
        subscriptions,
        isLive,
      }) => `select resource, start_cursor as "startCursor", revoked_at as "revokedAt" from ${subscriptions}
      where subscription_id = $1::uuid and account_id = $2::uuid and key_id = $3::uuid
        and revoked_at ${state === 'live' ? 'is null' : 'is not null'} and ${isLive}`,
      values: [subscriptionId, accountId, keyId],
    }),
  );
  return row;
}

/** Returns when the subscription was revoked (ISO 8601), or null if it was not or belongs to another key. */
export const findRevocation = async (reads: LiveReads, place: SubscriptionPlace): Promise<string | null> =>
  isoTime((await find(reads, 'revoked', place))?.revokedAt);

interface ReadFeedSubscriptionChangesDependencies {
  readonly reads: LiveReads;
  readonly readChanges: (input: ChangesInput) => Promise<JsonPage>;
}

/**
 * Reads the change feed with the filter of a subscription. Without a cursor it starts at the start of the subscription.
 * Rejects with 404 a subscription that is not live or not of this key, and otherwise like the feed.
 */
export const createReadFeedSubscriptionChanges =
  ({ reads, readChanges }: ReadFeedSubscriptionChangesDependencies) =>
  async ({ cursor, limit, maxResponseBytes, form = 'json', ...place }: SubscriptionChangesInput): Promise<JsonPage> => {
    const row = await find(reads, 'live', place);
    if (row === undefined) throw new Rejection('not_found', 'there is no such subscription of this key');
    const { resource, startCursor } = row;
    return readChanges({
      ...(resource === null ? {} : { resource }),
      cursor: cursor ?? startCursor,
      limit,
      maxResponseBytes,
      form,
    });
  };

/**
 * Returns SQL from the `from` clause on: subscriptions `s` that are not revoked and whose key is valid. `now` is clock
 * time.
 */
export function liveSubscriptions(live: LiveGeneration, now: number): FragmentSqlToken {
  const { subscriptions, isLive } = liveTokens(SUBSCRIPTIONS, live);
  const { keys, isLive: keysAreLive } = liveTokens(ACCOUNTS, live);
  // A key has a row per secret. The one that expires last counts.
  return sql.fragment`from ${subscriptions} s
    where s.revoked_at is null and ${isLive} and ${keysAreLive} and exists (select from ${keys} k
    where k.key_id = s.key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now}::bigint))`;
}

const listed = z.object({
  id: z.string(),
  name: z.string(),
  resource: z.enum(RESOURCES).nullable(),
  keyId: z.string(),
  startCursor: z.string(),
  createdAt: isTime,
});

/** Returns the live subscriptions of exactly this key, oldest first, and the number of the whole account. */
export const createListFeedSubscriptions =
  ({ reads, clock }: QueryContext) =>
  async ({ accountId, keyId, cap }: ListSubscriptionsInput): Promise<FeedSubscriptions> => {
    const accountSubscriptions = await reads.many(
      (live) => sql.type(listed)`
        select s.subscription_id as "id", s.name, s.resource, s.key_id as "keyId",
          s.start_cursor as "startCursor", s.created_at as "createdAt"
        ${liveSubscriptions(live, clock.now())} and s.account_id = ${accountId}::uuid
        order by s.created_at, s.subscription_id`,
    );
    return {
      items: accountSubscriptions.filter((each) => each.keyId === keyId),
      activeCount: accountSubscriptions.length,
      maxActiveSubscriptions: cap,
    };
  };
