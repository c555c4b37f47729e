import { encodeFeedCursor } from '../../domain/cursor.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { accountFeedsStream, accountStream } from '../../domain/streams.ts';
import { foldStream } from '../fold-stream.ts';
import { type CommandPorts, handle } from '../handle.ts';
import type { KeyedMutex } from '../keyed-mutex.ts';
import { type KeptFeed, type SubscriptionCommand, subscriptionDecider } from './subscription-decider.ts';
import { z } from 'zod';
import { keyIssued, keyRevoked } from '../../domain/events/account-events.ts';
import { dateTime, uuid } from '../../domain/records/fields.ts';
import type { Fold } from '../decider.ts';

/** The end and the id of the feed; null until it has been opened. */
interface HighWaterMark {
  readonly feedId: string | null;
  readonly position: number;
  readonly fingerprint: string | null;
}

export interface SubscriptionParts extends CommandPorts {
  readonly withMutex: KeyedMutex;
  /** Resolves true once the read model of subscriptions has passed the position, false at the deadline (clock milliseconds). */
  readonly visible: (position: Position, deadline: number) => Promise<boolean>;
  readonly deadlineMs: number;
}

interface CreationParts extends SubscriptionParts {
  /** Asked before anything is stored. Throws where the feed or the read model of subscriptions cannot be read. */
  readonly readMark: () => Promise<HighWaterMark>;
}

/** The caller, from admission. */
export interface SubscriptionCaller {
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
}

interface NewSubscription extends SubscriptionCaller {
  /** Trimmed, NFC, 1 to 80 characters. */
  readonly name: string;
  readonly resource: Resource | null;
  /** Most live feeds of the account by its current plan. */
  readonly cap: number;
}

/**
 * Creates a polling subscription that starts at the feed's present end, or gives the live one of this key, name and filter (POST
 * /api/v1/data/subscriptions). Refuses with 409 for another filter and at the cap, 401 when the key has ended meanwhile, 503 when the feed
 * cannot be read; 504 when it cannot be polled in time, and then the subscription stands. Stores nothing once `over` has aborted.
 */
export const createCreateSubscription =
  (parts: CreationParts) =>
  async (request: NewSubscription, over?: AbortSignal): Promise<{ readonly created: boolean; readonly subscription: KeptFeed }> => {
    const { accountId, keyId, requestId } = request;
    const deadline = parts.clock.now() + parts.deadlineMs;
    const { command, handled } = await parts.withMutex(accountId, async () => {
      if (parts.clock.now() >= deadline) throw new DeadlineExceeded('the account has too many subscriptions under way');
      const asked = await commandOf(parts, request);
      // The request has been refused: nothing is created after the deadline.
      over?.throwIfAborted();
      const stream = accountFeedsStream(accountId);
      const context = { accountId, keyId, requestId };
      const commandId = parts.identifiers.next();
      return {
        command: asked,
        handled: await handle({ ...parts, decider: subscriptionDecider, stream, command: asked, commandId, context, deadline }),
      };
    });
    if (handled.kind === 'rejected') throw handled.rejection;
    if (handled.position !== null && !(await parts.visible(handled.position, deadline))) {
      throw new DeadlineExceeded('the subscription stands but cannot be read yet');
    }
    if (handled.kind === 'unchanged') return { created: false, subscription: liveFeed(handled.state.values(), request) };
    const { id, name, resource, startCursor, createdAt } = command;
    return { created: true, subscription: { id, name, resource, keyId, startCursor, createdAt } };
  };

type Creation = Extract<SubscriptionCommand, { type: 'CreateFeedSubscription' }>;

async function commandOf(parts: CreationParts, { accountId, keyId, name, resource, cap }: NewSubscription): Promise<Creation> {
  const [{ state: keys }, { feedId, position, fingerprint }] = await Promise.all([
    // The account's stream, not its read model: a slot is free and a key is dead from the event on.
    foldStream(parts, accountKeys, accountStream(accountId)),
    parts.readMark(),
  ]);
  if (feedId === null) throw new Rejection('feed_unavailable', 'the feed has not been opened yet');
  const now = parts.clock.now();
  const key = keys.get(keyId);
  if (key === undefined || isDead(key, now)) throw new Rejection('unauthorized', 'the API key has expired or was revoked');
  return {
    type: 'CreateFeedSubscription',
    id: parts.identifiers.next(),
    name,
    resource,
    keyId,
    keyExpiresAt: key.expiresAt,
    startCursor: encodeFeedCursor({ feedId, position, fingerprint, binding: resource ?? 'all' }),
    createdAt: new Date(now).toISOString(),
    deadKeys: new Set([...keys.values()].filter((each) => isDead(each, now)).map((each) => each.keyId)),
    cap,
  };
}

function liveFeed(feeds: Iterable<KeptFeed>, { keyId, name }: NewSubscription): KeptFeed {
  const found = [...feeds].find((feed) => feed.keyId === keyId && feed.name === name);
  if (found === undefined) throw new Error('nothing was changed for a subscription that is not there');
  return found;
}

const keptKey = z.strictObject({ keyId: uuid, expiresAt: dateTime.nullable(), revoked: z.boolean() });
type KeptKey = z.output<typeof keptKey>;

/** An account's keys by id, from the account's own stream. */
type AccountKeys = ReadonlyMap<string, KeptKey>;

type KeyEvent = { readonly type: 'issued'; readonly key: KeptKey } | { readonly type: 'revoked'; readonly keyId: string } | null;

/** Folds the keys of an account's stream and ignores its other events. */
export const accountKeys: Fold<AccountKeys, KeyEvent> = {
  initialState: () => new Map(),
  evolve(keys, event) {
    if (event === null) return keys;
    if (event.type === 'issued') return new Map(keys).set(event.key.keyId, event.key);
    const key = keys.get(event.keyId);
    return key === undefined ? keys : new Map(keys).set(event.keyId, { ...key, revoked: true });
  },
  read({ type, data }) {
    if (type === 'KeyIssued') {
      const { keyId, expiresAt } = keyIssued.parse(JSON.parse(data));
      return { type: 'issued', key: { keyId, expiresAt, revoked: false } };
    }
    return type === 'KeyRevoked' ? { type: 'revoked', keyId: keyRevoked.parse(JSON.parse(data)).keyId } : null;
  },
  checkpoint: {
    name: 'account_keys',
    version: 1,
    every: 100,
    write: (keys) => [...keys.values()],
    read: (written) =>
      new Map(
        z
          .array(keptKey)
          .parse(written)
          .map((key) => [key.keyId, key]),
      ),
  },
};

/** Whether a key that was issued works no more; `now` is clock milliseconds. */
const isDead = ({ expiresAt, revoked }: KeptKey, now: number): boolean => revoked || (expiresAt !== null && Date.parse(expiresAt) <= now);
