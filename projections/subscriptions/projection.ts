import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import { readSubscriptionEvent, SUBSCRIPTION_EVENTS } from '../../domain/events/account-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { streamId } from '../../domain/streams.ts';
import { erasedEvents, type Erasure, foldAroundErasures } from '../fold-around-erasures.ts';
import { projection } from '../projection.ts';
import { insert, update } from '../rows.ts';
import type { Row } from '../tables.ts';
import { SUBSCRIPTIONS } from './tables.ts';

const { subscriptions: table } = SUBSCRIPTIONS.tables;

/**
 * Folds a batch. A feed is created once and then revoked at most once, so all creations can precede the revocations.
 */
async function foldEvents(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const created: Row[] = [];
  const revoked: Row[] = [];
  for (const stored of batch) {
    const { type, data } = readSubscriptionEvent(stored);
    if (type === 'FeedSubscriptionRevoked')
      revoked.push({ subscription_id: data.id, revoked_at: Date.parse(data.revokedAt) });
    else {
      created.push({
        subscription_id: data.id,
        account_id: streamId(stored.stream),
        key_id: data.keyId,
        name: data.name,
        resource: data.resource,
        start_cursor: data.startCursor,
        created_at: Date.parse(data.createdAt),
      });
    }
  }
  await insert(context, table, created);
  await update(context, table, revoked);
}

async function foldErasure(erasure: Erasure, context: FoldContext): Promise<void> {
  for await (const page of erasedEvents(erasure, context, (category) => category === 'account_feeds')) {
    const created = page.map(readSubscriptionEvent).filter((event) => event.type === 'FeedSubscriptionCreated');
    const names = created.map(({ data: { id, name } }) => ({ subscription_id: id, name }));
    await update(context, table, names);
  }
}

export const subscriptions = projection(SUBSCRIPTIONS, {
  version: 2,
  handles: [...Object.keys(SUBSCRIPTION_EVENTS), CONTENT_ERASED],
  fold: foldAroundErasures(foldEvents, foldErasure),
});
