import type { z } from 'zod';
import {
  feedSubscriptionCreated,
  readSubscriptionEvent,
  type SubscriptionEvent,
} from '../../domain/events/account-events.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { type Decider, mapCheckpoint } from '../decider.ts';

/** Times are ISO 8601 in UTC with milliseconds. */
export type SubscriptionCommand =
  | {
      readonly type: 'CreateFeedSubscription';
      readonly id: string;
      /** Trimmed and NFC. */
      readonly name: string;
      readonly resource: Resource | null;
      readonly keyId: string;
      readonly keyExpiresAt: string | null;
      readonly startCursor: string;
      readonly createdAt: string;
      /** Expired or revoked keys of the account. Any other key counts as alive. */
      readonly deadKeys: ReadonlySet<string>;
      /** Maximum number of live feeds of the account, over all of its keys. */
      readonly cap: number;
    }
  | {
      readonly type: 'RevokeFeedSubscription';
      readonly id: string;
      readonly keyId: string;
      readonly revokedAt: string;
    };

const storedSubscription = feedSubscriptionCreated.omit({ lapsed: true, keyExpiresAt: true });
/** A subscription that was not revoked. It lives as long as its key. */
export type StoredSubscription = z.output<typeof storedSubscription>;

/** Subscriptions by id, without revoked and lapsed ones, so that the state never exceeds the cap. */
type SubscriptionState = ReadonlyMap<string, StoredSubscription>;

function decide(command: SubscriptionCommand, state: SubscriptionState): readonly SubscriptionEvent[] | Rejection {
  switch (command.type) {
    case 'CreateFeedSubscription':
      return decideCreation(command, [...state.values()]);
    case 'RevokeFeedSubscription': {
      const { id, keyId, revokedAt } = command;
      const feed = state.get(id);
      // It was revoked earlier or never existed. Only the read model distinguishes the two.
      if (feed === undefined) return [];
      if (feed.keyId !== keyId) return new Rejection('not_found', NO_SUCH_SUBSCRIPTION);
      return [{ type: 'FeedSubscriptionRevoked', data: { id, revokedAt } }];
    }
  }
}

export const NO_SUCH_SUBSCRIPTION = 'there is no such subscription of this key';

function decideCreation(
  command: Extract<SubscriptionCommand, { type: 'CreateFeedSubscription' }>,
  feeds: readonly StoredSubscription[],
): readonly SubscriptionEvent[] | Rejection {
  const { type: _, deadKeys, cap, ...feed } = command;
  const live = feeds.filter(({ keyId }) => !deadKeys.has(keyId));
  const same = live.find(({ keyId, name }) => keyId === command.keyId && name === command.name);
  if (same?.resource === command.resource) return [];
  if (same !== undefined) {
    const filter = same.resource === null ? 'no filter' : `the filter ${same.resource}`;
    return new Rejection(
      'feed_subscription_conflict',
      `a live subscription of this name has ${filter}; filters never change`,
    );
  }
  if (live.length >= cap) {
    return new Rejection(
      'feed_subscription_limit_reached',
      `the account has ${live.length} live subscriptions; its plan allows ${cap}`,
    );
  }
  const lapsed = feeds.filter(({ keyId }) => deadKeys.has(keyId)).map(({ id }) => id);
  return [{ type: 'FeedSubscriptionCreated', data: { ...feed, lapsed } }];
}

function evolve(state: SubscriptionState, event: SubscriptionEvent): SubscriptionState {
  const next = new Map(state);
  switch (event.type) {
    case 'FeedSubscriptionCreated': {
      const { lapsed, keyExpiresAt: _, ...feed } = event.data;
      for (const id of lapsed) next.delete(id);
      return next.set(feed.id, feed);
    }
    case 'FeedSubscriptionRevoked':
      next.delete(event.data.id);
      return next;
  }
}

export const subscriptionDecider = {
  initialState: (): SubscriptionState => new Map(),
  decide,
  evolve,
  read: readSubscriptionEvent,
  schemaVersion: 1,
  checkpoint: mapCheckpoint('subscriptions', storedSubscription, ({ id }) => id),
} satisfies Decider<SubscriptionState, SubscriptionCommand, SubscriptionEvent>;
