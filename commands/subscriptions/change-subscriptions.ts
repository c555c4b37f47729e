import { z } from 'zod';
import { type Caller, type Fold, mapCheckpoint } from '../decider.ts';
import { type CommandPorts, foldStream, handle } from '../handle.ts';
import { createKeyedMutex } from '../keyed-mutex.ts';
import {
  type StoredSubscription,
  NO_SUCH_SUBSCRIPTION,
  type SubscriptionCommand,
  subscriptionDecider,
} from './subscription-decider.ts';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import { keyIssued, keyRevoked } from '../../domain/events/account-events.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { dateTime, uuid } from '../../domain/records/fields.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { accountFeedsStream, accountStream } from '../../domain/streams.ts';

interface HighWaterMark {
  /** Null until the feed has been opened. */
  readonly feedId: string | null;
  readonly position: number;
  readonly fingerprint: string | null;
}

interface SubscriptionParts extends CommandPorts {
  /** Called before anything is stored. Throws if the feed or the read model of subscriptions cannot be read. */
  readonly readMark: () => Promise<HighWaterMark>;
  /**
   * Resolves to true once the read model of subscriptions has passed the position, or to false at the deadline (clock
   * milliseconds).
   */
  readonly visible: (position: Position, deadline: number) => Promise<boolean>;
  /**
   * Returns when the subscription was revoked, from the read model; null if it was not revoked or belongs to another
   * key.
   */
  readonly revokedBefore: (revocation: Revocation) => Promise<string | null>;
  readonly deadlineMs: number;
}

interface NewSubscription extends Caller {
  /** Trimmed, NFC, 1 to 80 characters. */
  readonly name: string;
  readonly resource: Resource | null;
  /** Maximum number of live feeds under the account's current plan. */
  readonly cap: number;
}

interface Revocation extends Caller {
  /** A lower-case uuid. */
  readonly subscriptionId: string;
}

/**
 * Creates and revokes the polling subscriptions of accounts. Commands of one account wait for each other within this
 * process.
 */
export function createSubscriptionChanges(parts: SubscriptionParts) {
  const withMutex = createKeyedMutex();

  async function change<Command extends SubscriptionCommand>(
    { accountId, keyId, requestId }: Caller,
    unreadable: string,
    commandOf: () => Command | Promise<Command>,
  ) {
    const deadline = parts.clock.now() + parts.deadlineMs;
    const { command, handled } = await withMutex(accountId, async () => {
      if (parts.clock.now() >= deadline) throw new DeadlineExceeded('the account has too many subscriptions under way');
      const command = await commandOf();
      const stream = accountFeedsStream(accountId);
      const context = { accountId, keyId, requestId };
      const of = {
        decider: subscriptionDecider,
        stream,
        command,
        commandId: parts.identifiers.next(),
        context,
        deadline,
      };
      return { command, handled: await handle({ ...parts, ...of }) };
    });
    if (handled.kind === 'rejected') throw handled.rejection;
    if (handled.position !== null && !(await parts.visible(handled.position, deadline)))
      throw new DeadlineExceeded(unreadable);
    return { command, handled };
  }

  return {
    /**
     * Creates a polling subscription that starts at the current end of the feed, or returns the live one of this key,
     * name and filter (POST /api/v1/data/subscriptions). Refuses with 409 for another filter or at the cap, 401 if the
     * key has ended, 503 if the feed cannot be read, and 504 if the subscription is stored but cannot be polled in
     * time. Stores nothing once `over` has aborted.
     */
    create: async (
      request: NewSubscription,
      over?: AbortSignal,
    ): Promise<{ readonly created: boolean; readonly subscription: StoredSubscription }> => {
      const { command, handled } = await change(request, 'the subscription exists but cannot be read yet', async () => {
        const creation = await prepareCreation(parts, request);
        // The request was already refused: nothing is created after the deadline.
        over?.throwIfAborted();
        return creation;
      });
      const created = handled.kind === 'appended';
      // Read from the command: after an unknown outcome the state might contain a later revocation.
      const { type: _, deadKeys: _dead, cap: _cap, keyExpiresAt: _expiry, ...subscription } = command;
      return { created, subscription: created ? subscription : findLiveFeed(handled.state.values(), request) };
    },

    /**
     * Revokes a polling subscription of exactly this key (DELETE /api/v1/data/subscriptions/{subscriptionId}). A
     * repeated request returns the time of the first. Refuses with 404, or with 504 if the revocation is stored but the
     * read model has not followed in time.
     */
    revoke: async (revocation: Revocation): Promise<{ readonly id: string; readonly revokedAt: string }> => {
      const { keyId, subscriptionId: id } = revocation;
      const revokedAt = new Date(parts.clock.now()).toISOString();
      const { handled } = await change(
        revocation,
        'the revocation was processed, but its result cannot be read yet',
        () => {
          return { type: 'RevokeFeedSubscription', id, keyId, revokedAt };
        },
      );
      if (handled.kind === 'appended') return { id, revokedAt };
      const before = handled.position === null ? null : await parts.revokedBefore(revocation);
      if (before === null) throw new Rejection('not_found', NO_SUCH_SUBSCRIPTION);
      return { id, revokedAt: before };
    },
  };
}

async function prepareCreation(parts: SubscriptionParts, { accountId, keyId, name, resource, cap }: NewSubscription) {
  const [{ state: keys }, { feedId, position, fingerprint }] = await Promise.all([
    // Read from the account's stream instead of its read model: an event frees a slot or ends a key at once.
    foldStream(parts, accountKeys, accountStream(accountId)),
    parts.readMark(),
  ]);
  if (feedId === null) throw new Rejection('feed_unavailable', 'the feed has not been opened yet');
  const now = parts.clock.now();
  const key = keys.get(keyId);
  if (key === undefined || isDead(key, now))
    throw new Rejection('unauthorized', 'the API key has expired or was revoked');
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
  } as const;
}

function findLiveFeed(feeds: Iterable<StoredSubscription>, { keyId, name }: NewSubscription): StoredSubscription {
  const existing = [...feeds].find((feed) => feed.keyId === keyId && feed.name === name);
  if (existing === undefined) throw new Error('nothing was changed for a subscription that is not there');
  return existing;
}

const storedKey = z.strictObject({ keyId: uuid, expiresAt: dateTime.nullable(), revoked: z.boolean() });
type StoredKey = z.output<typeof storedKey>;
type KeyEvent =
  | { readonly type: 'issued'; readonly key: StoredKey }
  | { readonly type: 'revoked'; readonly keyId: string }
  | null;

/** Folds the keys of an account by id; ignores other events of its stream. */
export const accountKeys: Fold<ReadonlyMap<string, StoredKey>, KeyEvent> = {
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
  checkpoint: mapCheckpoint('account_keys', storedKey, ({ keyId }) => keyId),
};

const isDead = ({ expiresAt, revoked }: StoredKey, now: number): boolean =>
  revoked || (expiresAt !== null && Date.parse(expiresAt) <= now);
