import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { ChangesInput, JsonPage, ListSubscriptionsInput, SubscriptionChangesInput, SubscriptionPlace } from '../../contract/inputs.ts';
import type { FeedSubscriptions } from '../../contract/list-feed-subscriptions.ts';
import type { TextRow } from '../../domain/ports/database.ts';
import type { LiveGeneration, LiveReads, QueryContext } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { type Resource, RESOURCES } from '../../domain/records/resources.ts';
import { ACCOUNTS } from '../../projections/accounts/tables.ts';
import { SUBSCRIPTIONS } from '../../projections/subscriptions/tables.ts';
import { isoTime, isTime } from '../fields.ts';
import { liveRows, liveTokens } from '../live-tables.ts';

/** A subscription of exactly this key. */
async function find(
  reads: LiveReads,
  state: 'live' | 'revoked',
  { subscriptionId, accountId, keyId }: SubscriptionPlace,
): Promise<TextRow | undefined> {
  const [row] = await liveRows(reads, SUBSCRIPTIONS, {
    name: `find_${state}_subscription`,
    text: ({ subscriptions, isLive }) => `select resource, start_cursor, revoked_at from ${subscriptions}
      where subscription_id = $1::uuid and account_id = $2::uuid and key_id = $3::uuid
        and revoked_at ${state === 'live' ? 'is null' : 'is not null'} and ${isLive}`,
    values: [subscriptionId, accountId, keyId],
  });
  return row;
}

/** The time when the subscription was revoked, ISO 8601; null where it was not, or belongs to another key. */
export const findRevocation = async (reads: LiveReads, place: SubscriptionPlace): Promise<string | null> =>
  isoTime((await find(reads, 'revoked', place))?.[2]);

interface ReadFeedSubscriptionChangesDependencies {
  readonly reads: LiveReads;
  readonly readChanges: (input: ChangesInput) => Promise<JsonPage>;
}

/**
 * The change feed with the filter of a subscription, from its start where no cursor is given. Refuses with 404 what is not exactly this
 * key's and live, then as the feed does.
 */
export const createReadFeedSubscriptionChanges =
  ({ reads, readChanges }: ReadFeedSubscriptionChangesDependencies) =>
  async ({ cursor, limit, maxResponseBytes, form = 'json', ...place }: SubscriptionChangesInput): Promise<JsonPage> => {
    const row = await find(reads, 'live', place);
    if (row === undefined) throw new Rejection('not_found', 'there is no such subscription of this key');
    const [resource, startCursor] = row as readonly [Resource | null, string];
    return readChanges({
      ...(resource === null ? {} : { resource }),
      cursor: cursor ?? startCursor,
      limit,
      maxResponseBytes,
      form,
    });
  };

/** SQL for the subscriptions `s` that are not revoked and whose key lives, after the selected columns. `now` in clock milliseconds. */
export function liveSubscriptions(live: LiveGeneration, now: number): FragmentSqlToken {
  const { subscriptions, isLive } = liveTokens(SUBSCRIPTIONS, live);
  const { keys, isLive: keysAreLive } = liveTokens(ACCOUNTS, live);
  // A key has one row for each of its secrets; the one that lasts longest counts.
  return sql.fragment`from ${subscriptions} s where s.revoked_at is null and ${isLive} and ${keysAreLive} and exists (select from ${keys} k
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

/** The live subscriptions of exactly this key, oldest first, and how many live ones the whole account has. An account has few. */
export const createListFeedSubscriptions =
  ({ reads, clock }: QueryContext) =>
  async ({ accountId, keyId, cap }: ListSubscriptionsInput): Promise<FeedSubscriptions> => {
    const ofAccount = await reads.many(
      (live) => sql.type(listed)`
        select s.subscription_id as "id", s.name, s.resource, s.key_id as "keyId", s.start_cursor as "startCursor", s.created_at as "createdAt"
        ${liveSubscriptions(live, clock.now())} and s.account_id = ${accountId}::uuid order by s.created_at, s.subscription_id`,
    );
    return { items: ofAccount.filter((each) => each.keyId === keyId), activeCount: ofAccount.length, maxActiveSubscriptions: cap };
  };
