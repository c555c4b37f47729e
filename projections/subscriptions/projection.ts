import { readSubscriptionEvent, SUBSCRIPTION_EVENTS, type SubscriptionEvent } from '../../src/domain/events/subscription-events.ts';
import type { ColumnArrays, Statement } from '../../src/domain/ports/database.ts';
import type { StoredEvent } from '../../src/domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../src/domain/ports/projection.ts';
import { streamId } from '../../src/domain/streams.ts';
import { sameRows } from '../same-rows.ts';
import { createSubscriptionsTable, SUBSCRIPTIONS, subscriptionsTable } from './tables.ts';

type Data<Type extends SubscriptionEvent['type']> = Extract<SubscriptionEvent, { type: Type }>['data'];
type Created = Data<'FeedSubscriptionCreated'> & { readonly accountId: string };

const insertCreated = (generation: number, created: readonly Created[], columns: ColumnArrays): Statement => ({
  text: `insert into ${subscriptionsTable(generation)} (subscription_id, account_id, key_id, name, resource, start_cursor, created_at)
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::bigint[])`,
  values: [
    columns.uuids(created.map(({ id }) => id)),
    columns.uuids(created.map(({ accountId }) => accountId)),
    columns.uuids(created.map(({ keyId }) => keyId)),
    columns.texts(created.map(({ name }) => name)),
    columns.texts(created.map(({ resource }) => resource)),
    columns.texts(created.map(({ startCursor }) => startCursor)),
    columns.bigints(created.map(({ createdAt }) => Date.parse(createdAt))),
  ],
});

const updateRevoked = (generation: number, revoked: readonly Data<'FeedSubscriptionRevoked'>[], columns: ColumnArrays): Statement => ({
  text: `update ${subscriptionsTable(generation)} s set revoked_at = r.revoked_at
    from unnest($1::uuid[], $2::bigint[]) as r (subscription_id, revoked_at) where s.subscription_id = r.subscription_id`,
  values: [columns.uuids(revoked.map(({ id }) => id)), columns.bigints(revoked.map(({ revokedAt }) => Date.parse(revokedAt)))],
});

/** A feed is created before it is revoked, and each at most once: all creations of a batch may come before its revocations. */
const fold = async (batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> => {
  const created: Created[] = [];
  const revoked: Data<'FeedSubscriptionRevoked'>[] = [];
  for (const stored of batch) {
    const event = readSubscriptionEvent(stored);
    if (event.type === 'FeedSubscriptionCreated') created.push({ ...event.data, accountId: streamId(stored.stream) });
    else revoked.push(event.data);
  }
  if (created.length > 0) await transaction.execute(insertCreated(generation, created, columns));
  if (revoked.length > 0) await transaction.execute(updateRevoked(generation, revoked, columns));
};

export const subscriptions: Projection = {
  name: SUBSCRIPTIONS,
  version: 1,
  handles: Object.keys(SUBSCRIPTION_EVENTS),
  tables: (generation) => [subscriptionsTable(generation)],
  create: createSubscriptionsTable,
  fold,
  differences: (left, right) => [sameRows(subscriptionsTable(left), subscriptionsTable(right))],
};
