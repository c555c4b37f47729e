import { insertRows, rowSet, updateRows } from '../row-set.ts';
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

const insertCreated = (generation: number, created: readonly Created[], columns: ColumnArrays): Statement =>
  insertRows(
    subscriptionsTable(generation),
    rowSet(columns, created, {
      subscription_id: ['uuid', ({ id }) => id],
      account_id: ['uuid', ({ accountId }) => accountId],
      key_id: ['uuid', ({ keyId }) => keyId],
      name: ['text', ({ name }) => name],
      resource: ['text', ({ resource }) => resource],
      start_cursor: ['text', ({ startCursor }) => startCursor],
      created_at: ['bigint', ({ createdAt }) => Date.parse(createdAt)],
    }),
  );

const updateRevoked = (generation: number, revoked: readonly Data<'FeedSubscriptionRevoked'>[], columns: ColumnArrays): Statement =>
  updateRows(
    subscriptionsTable(generation),
    rowSet(columns, revoked, {
      subscription_id: ['uuid', ({ id }) => id],
      revoked_at: ['bigint', ({ revokedAt }) => Date.parse(revokedAt)],
    }),
  );

const updateNames = (generation: number, created: readonly Data<'FeedSubscriptionCreated'>[], columns: ColumnArrays): Statement =>
  updateRows(
    subscriptionsTable(generation),
    rowSet(columns, created, { subscription_id: ['uuid', ({ id }) => id], name: ['text', ({ name }) => name] }),
  );

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

export const subscriptions: Projection = {
  name: SUBSCRIPTIONS,
  version: 2,
  handles: [...Object.keys(SUBSCRIPTION_EVENTS), CONTENT_ERASED],
  tables: (generation) => [subscriptionsTable(generation)],
  create: createSubscriptionsTable,
  fold: foldAroundErasures(foldEvents, foldErasure),
  differences: (left, right) => [sameRows(subscriptionsTable(left), subscriptionsTable(right))],
};
