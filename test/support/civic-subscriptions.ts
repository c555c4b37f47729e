import { encodeFeedCursor } from '../../domain/cursor.ts';
import type { SubscriptionEvent } from '../../domain/events/account-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { type EventLog, NO_STREAM } from '../../domain/ports/event-log.ts';
import { RESOURCES } from '../../domain/records/resources.ts';
import { accountFeedsStream } from '../../domain/streams.ts';
import { below } from './civic-records.ts';

/** An account's polling subscriptions as events, on several keys: created, and some of them revoked, in any order that can be. */
export async function appendSubscriptions(log: EventLog, number: number, random: () => number): Promise<void> {
  const accountId = derivedId('test', 'account', number);
  const live: string[] = [];
  const later = (_: unknown, nth: number): SubscriptionEvent => {
    const at = new Date(Date.UTC(2026, 0, 1) + nth * 1000).toISOString();
    if (live.length > 0 && random() < 0.4) {
      const [id] = live.splice(below(random, live.length), 1);
      return { type: 'FeedSubscriptionRevoked', data: { id: id!, revokedAt: at } };
    }
    const id = derivedId('test', 'subscription', number, nth);
    const resource = random() < 0.5 ? null : RESOURCES[below(random, RESOURCES.length)]!;
    const lapsed = live.length > 0 && random() < 0.2 ? live.splice(below(random, live.length), 1) : [];
    live.push(id);
    const startCursor = encodeFeedCursor({
      feedId: derivedId('test', 'feed'),
      position: nth,
      fingerprint: null,
      binding: resource ?? 'all',
    });
    const keyId = derivedId('test', 'key', number, below(random, 3));
    return {
      type: 'FeedSubscriptionCreated',
      data: { id, name: `Feed ${nth}`, resource, keyId, keyExpiresAt: null, startCursor, createdAt: at, lapsed },
    };
  };
  const events = Array.from({ length: 2 + below(random, 12) }, later).map(({ type, data }, nth) => ({
    id: derivedId('test', 'subscription event', number, nth),
    type,
    schemaVersion: 1,
    data: JSON.stringify(data),
    metadata: {
      commandId: derivedId('test', 'subscription command', number, nth),
      accountId,
      requestId: `request-${nth}`,
    },
    time: Date.UTC(2026, 0, 1) + nth,
  }));
  const outcome = await log.append({ stream: accountFeedsStream(accountId), expectedRevision: NO_STREAM, events });
  if (outcome.kind !== 'appended') throw new Error(`account ${number} has subscriptions already`);
}
