import { describe, expect, test } from 'vitest';
import { type SubscriptionCommand, subscriptionDecider } from '../../commands/subscriptions/subscription-decider.ts';
import type { SubscriptionEvent } from '../../domain/events/account-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { Rejection } from '../../domain/rejections.ts';

const id = (number: number) => derivedId('test', 'feed', number);
const [mine, theirs] = [derivedId('test', 'key', 1), derivedId('test', 'key', 2)];
const at = '2026-01-01T00:00:00.000Z';
const later = '2026-01-02T00:00:00.000Z';

type Creation = Extract<SubscriptionCommand, { type: 'CreateFeedSubscription' }>;
const create = (number: number, name: string, facts: Partial<Creation> = {}): Creation => ({
  type: 'CreateFeedSubscription',
  id: id(number),
  name,
  resource: null,
  keyId: mine,
  keyExpiresAt: null,
  startCursor: `start ${number}`,
  createdAt: at,
  deadKeys: new Set(),
  cap: 3,
  ...facts,
});
const revoke = (number: number, keyId = mine): SubscriptionCommand => ({
  type: 'RevokeFeedSubscription',
  id: id(number),
  keyId,
  revokedAt: later,
});

const fold = (events: readonly SubscriptionEvent[]) =>
  events.reduce(subscriptionDecider.evolve, subscriptionDecider.initialState());
function decided(events: readonly SubscriptionEvent[], command: SubscriptionCommand) {
  const decision = subscriptionDecider.decide(command, fold(events));
  return decision instanceof Rejection ? decision.code : decision;
}
/** The events of commands that are all accepted. */
const after = (...commands: readonly SubscriptionCommand[]): readonly SubscriptionEvent[] =>
  commands.reduce<readonly SubscriptionEvent[]>((events, command) => {
    const more = decided(events, command);
    if (typeof more === 'string') throw new Error(more);
    return [...events, ...more];
  }, []);

describe('a subscription', () => {
  test('is created with all its fields', () => {
    const { type: _, deadKeys, cap, ...feed } = create(1, 'a', { resource: 'topics', keyExpiresAt: later });
    expect(decided([], create(1, 'a', { resource: 'topics', keyExpiresAt: later }))).toEqual([
      { type: 'FeedSubscriptionCreated', data: { ...feed, lapsed: [] } },
    ]);
    expect([deadKeys.size, cap]).toEqual([0, 3]);
  });

  test('with the name and filter of a live one returns that one, even at the cap', () => {
    const state = after(create(1, 'a'), create(2, 'b'), create(3, 'c'));
    expect(decided(state, create(4, 'b'))).toEqual([]);
    expect(decided(state, create(4, 'b', { cap: 0 }))).toEqual([]);
    expect(fold(state).get(id(2))).toMatchObject({ name: 'b', startCursor: 'start 2' });
  });

  test('never changes its filter', () => {
    const state = after(create(1, 'a'), create(2, 'b', { resource: 'topics' }));
    expect(decided(state, create(3, 'a', { resource: 'topics' }))).toBe('feed_subscription_conflict');
    expect(decided(state, create(3, 'b', { resource: 'meetings' }))).toBe('feed_subscription_conflict');
    expect(decided(state, create(3, 'b'))).toBe('feed_subscription_conflict');
  });

  test('has a name that is in use for its own key only', () => {
    const state = after(create(1, 'a'), create(2, 'a', { keyId: theirs, resource: 'topics' }));
    expect([...fold(state).keys()]).toEqual([id(1), id(2)]);
  });

  test('is refused for a conflict of its name before the limit of the account is checked', () => {
    const state = after(create(1, 'a'), create(2, 'b'), create(3, 'c'));
    expect(decided(state, create(4, 'a', { resource: 'topics' }))).toBe('feed_subscription_conflict');
  });

  test('that was revoked frees its name and its place', () => {
    const state = after(create(1, 'a'), create(2, 'b'), create(3, 'c'), revoke(1));
    expect(decided(state, create(4, 'a', { resource: 'topics' }))).toHaveLength(1);
  });
});

describe('the places of an account', () => {
  test('are counted over all of its keys', () => {
    const state = after(create(1, 'a'), create(2, 'b', { keyId: theirs }), create(3, 'c', { keyId: theirs }));
    expect(decided(state, create(4, 'd'))).toBe('feed_subscription_limit_reached');
    expect(decided(state, create(4, 'd', { cap: 4 }))).toHaveLength(1);
  });

  test('allow no new one when the plan allows fewer than there are, until there are fewer', () => {
    const state = after(create(1, 'a'), create(2, 'b'), create(3, 'c'));
    expect(decided(state, create(4, 'd', { cap: 2 }))).toBe('feed_subscription_limit_reached');
    expect(decided([...state, ...after(create(1, 'a'), revoke(1)).slice(1)], create(4, 'd', { cap: 2 }))).toBe(
      'feed_subscription_limit_reached',
    );
    const two = after(create(1, 'a'), create(2, 'b'), create(3, 'c'), revoke(1), revoke(2));
    expect(decided(two, create(4, 'd', { cap: 2 }))).toHaveLength(1);
  });

  test('are freed by dead keys; a lapsed subscription is reported once and then removed', () => {
    const state = after(create(1, 'a'), create(2, 'b', { keyId: theirs }), create(3, 'c', { keyId: theirs }));
    const deadKeys = new Set([theirs]);
    const [created] = decided(state, create(4, 'd', { deadKeys })) as readonly SubscriptionEvent[];
    expect(created!.data).toMatchObject({ id: id(4), lapsed: [id(2), id(3)] });
    const next = [...state, created!];
    expect([...fold(next).keys()]).toEqual([id(1), id(4)]);
    const [another] = decided(next, create(5, 'e', { deadKeys })) as readonly SubscriptionEvent[];
    expect(another!.data).toMatchObject({ lapsed: [] });
  });

  test('are used by a key that the command does not know, because it may be new', () => {
    const state = after(
      create(1, 'a', { keyId: theirs }),
      create(2, 'b', { keyId: theirs }),
      create(3, 'c', { keyId: theirs }),
    );
    expect(decided(state, create(4, 'd', { deadKeys: new Set([mine]) }))).toBe('feed_subscription_limit_reached');
  });
});

describe('a revocation', () => {
  test('ends a subscription of its own key; one of another key counts as absent', () => {
    const state = after(create(1, 'a'));
    expect(decided(state, revoke(1))).toEqual([
      { type: 'FeedSubscriptionRevoked', data: { id: id(1), revokedAt: later } },
    ]);
    expect(decided(state, revoke(1, theirs))).toBe('not_found');
  });

  test('of a subscription that is absent or has ended changes nothing', () => {
    expect(decided([], revoke(1))).toEqual([]);
    expect(decided(after(create(1, 'a'), revoke(1)), revoke(1))).toEqual([]);
  });
});

describe('the checkpoint', () => {
  const { checkpoint } = subscriptionDecider;
  test('restores the same state from JSON', () => {
    const state = fold(
      after(create(1, 'a'), create(2, 'ü', { keyId: theirs, resource: 'topics' }), create(3, 'c'), revoke(1)),
    );
    expect(checkpoint.read(JSON.parse(JSON.stringify(checkpoint.write(state))))).toEqual(state);
  });

  test.each([[null], [{}], [[{ id: 'x' }]], [[{ ...create(1, 'a'), resource: 'topic' }]]])(
    'with other content is refused: %j',
    (written) => {
      expect(() => checkpoint.read(written)).toThrow(Error);
    },
  );
});

test('an event is read as it was stored, and one of another category is refused', () => {
  for (const event of after(create(1, 'a', { resource: 'topics' }), revoke(1))) {
    expect(subscriptionDecider.read({ type: event.type, data: JSON.stringify(event.data) })).toEqual(event);
  }
  expect(() => subscriptionDecider.read({ type: 'toString', data: '{}' })).toThrow(
    'no event of a polling subscription',
  );
});
