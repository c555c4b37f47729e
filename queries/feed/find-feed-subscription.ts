import { SUBSCRIPTIONS, subscriptionsTable } from '../../projections/subscriptions/tables.ts';
import type { SubscriptionPlace } from '../../contract/inputs.ts';
import type { TextRow } from '../../domain/ports/database.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import type { Resource } from '../../domain/records/resources.ts';

/** What a poll needs to know of a subscription. */
export interface FoundSubscription {
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
    const generation = live(SUBSCRIPTIONS);
    return {
      name: `find_${condition === 'revoked_at is null' ? 'live' : 'revoked'}_subscription_g${generation}`,
      text: `select ${columns} from ${subscriptionsTable(generation)}
        where subscription_id = $1::uuid and account_id = $2::uuid and key_id = $3::uuid and ${condition}
          and ${requireLive(SUBSCRIPTIONS, generation)}`,
      values: [subscriptionId, accountId, keyId],
    };
  });
  return row;
}
