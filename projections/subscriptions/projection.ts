import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import { readSubscriptionEvent, SUBSCRIPTION_EVENTS, type SubscriptionEvent } from '../../domain/events/subscription-events.ts';
import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { category, streamId } from '../../domain/streams.ts';
import { type Erasure, erasedEvents, foldAroundErasures } from '../fold-around-erasures.ts';
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

const updateNames = (generation: number, created: readonly Data<'FeedSubscriptionCreated'>[], columns: ColumnArrays): Statement => ({
  text: `update ${subscriptionsTable(generation)} s set name = c.name
    from unnest($1::uuid[], $2::text[]) as c (subscription_id, name) where s.subscription_id = c.subscription_id`,
  values: [columns.uuids(created.map(({ id }) => id)), columns.texts(created.map(({ name }) => name))],
});

/** A feed is created once and revoked at most once afterwards: all creations of a batch can precede its revocations. */
async function foldEvents(batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> {
  const created: Created[] = [];
  const revoked: Data<'FeedSubscriptionRevoked'>[] = [];
  for (const stored of batch) {
    const event = readSubscriptionEvent(stored);
    if (event.type === 'FeedSubscriptionCreated') created.push({ ...event.data, accountId: streamId(stored.stream) });
    else revoked.push(event.data);
  }
  if (created.length > 0) await transaction.execute(insertCreated(generation, created, columns));
  if (revoked.length > 0) await transaction.execute(updateRevoked(generation, revoked, columns));
}

const isFeeds = (stream: string): boolean => category(stream) === 'account_feeds';

async function foldErasure(erasure: Erasure, { transaction, columns, generation, reread }: FoldContext): Promise<void> {
  for await (const page of erasedEvents(erasure, isFeeds, reread)) {
    const created = page.map(readSubscriptionEvent).flatMap((event) => (event.type === 'FeedSubscriptionCreated' ? [event.data] : []));
    if (created.length > 0) await transaction.execute(updateNames(generation, created, columns));
  }
}

const fold = (batch: readonly StoredEvent[], context: FoldContext): Promise<void> =>
  foldAroundErasures(
    batch,
    (events) => foldEvents(events, context),
    (erasure) => foldErasure(erasure, context),
  );

export const subscriptions: Projection = {
  name: SUBSCRIPTIONS,
  version: 2,
  handles: [...Object.keys(SUBSCRIPTION_EVENTS), CONTENT_ERASED],
  tables: (generation) => [subscriptionsTable(generation)],
  create: createSubscriptionsTable,
  fold,
  differences: (left, right) => [sameRows(subscriptionsTable(left), subscriptionsTable(right))],
};
