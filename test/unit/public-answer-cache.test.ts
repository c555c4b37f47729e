import { expect, test } from 'vitest';
import { Rejection } from '../../domain/rejections.ts';
import { createAnswerCache } from '../../src/edge/answers/answer-cache.ts';
import type { Representation } from '../../src/edge/answers/representation.ts';

const answer = (bytes = 10): Representation => ({ form: () => Promise.reject(new Error('not asked for')), bytes });

function createCache(bounds: { readonly maxAnswers?: number; readonly maxBytes?: number } = {}) {
  const state = { now: 1_000_000, era: 1, awake: true };
  const watch = {
    get era() {
      return state.era;
    },
    isAwake: () => state.awake,
    invalidate: () => undefined,
    close: () => undefined,
  };
  return {
    state,
    cache: createAnswerCache({ watch, clock: { now: () => state.now, sleep: async () => undefined }, ...bounds }),
  };
}

test('an answer is cached for under a second while the watch is awake, else briefly, from its request on', async () => {
  const { state, cache } = createCache();
  const stands = async (awake: boolean, after: number): Promise<boolean> => {
    await cache.fetch('a', async () => answer());
    const requestedAt = state.now;
    Object.assign(state, { awake, now: requestedAt + after });
    const standing = cache.standing('a') !== undefined;
    state.now = requestedAt;
    return standing;
  };
  expect([await stands(true, 999), await stands(true, 1_000), await stands(true, -1)]).toEqual([true, false, false]);
  expect([await stands(false, 149), await stands(false, 150)]).toEqual([true, false]);
});

test('concurrent requests run one query, and a failure goes to all of them and is not cached', async () => {
  const { cache } = createCache();
  const { promise, reject } = Promise.withResolvers<Representation>();
  let reads = 0;
  const make = () => {
    reads += 1;
    return promise;
  };
  const all = Array.from({ length: 10 }, () => cache.fetch('a', make));
  reject(new Error('down'));
  const outcomes = await Promise.allSettled(all);
  expect([reads, new Set(outcomes.map(({ status }) => status))]).toEqual([1, new Set(['rejected'])]);
  const cached = answer();
  expect(await cache.fetch('a', async () => cached)).toBe(cached);
  expect(cache.standing('a')).toBe(cached);
});

test('a client over its limit is refused alone; those that waited with it repeat their request together', async () => {
  const { cache } = createCache();
  const { promise, reject } = Promise.withResolvers<Representation>();
  const greedy = cache.fetch('a', () => promise);
  const cached = answer();
  let reads = 0;
  const make = async () => {
    reads += 1;
    return cached;
  };
  const others = Array.from({ length: 10 }, () => cache.fetch('a', make));
  reject(new Rejection('rate_limited', 'too many', { retryAfterSeconds: 1 }));
  await expect(greedy).rejects.toThrow('too many');
  expect(new Set(await Promise.all(others))).toEqual(new Set([cached]));
  expect(reads).toBe(1);
});

test('a new request does not wait for an answer that runs for a second or since before a move', async () => {
  const { state, cache } = createCache();
  const never = () => new Promise<Representation>(() => undefined);
  void cache.fetch('a', never);
  state.era += 1;
  const cached = answer();
  expect(await cache.fetch('a', async () => cached)).toBe(cached);
  void cache.fetch('b', never);
  state.now += 1_000;
  expect(await cache.fetch('b', async () => cached)).toBe(cached);
});

test('an answer whose query runs while the position moves is not cached', async () => {
  const { state, cache } = createCache();
  const { promise, resolve } = Promise.withResolvers<Representation>();
  const under = cache.fetch('a', () => promise);
  state.era += 1;
  resolve(answer());
  await under;
  expect(cache.standing('a')).toBeUndefined();
});

test('the oldest answers are dropped when there are too many or their total is too large', async () => {
  const few = createCache({ maxAnswers: 3 }).cache;
  for (const key of ['a', 'b', 'c', 'd']) await few.fetch(key, async () => answer());
  expect(['a', 'b', 'c', 'd'].map((key) => few.standing(key) !== undefined)).toEqual([false, true, true, true]);

  const small = createCache({ maxBytes: 100 }).cache;
  for (const [key, bytes] of [
    ['a', 40],
    ['b', 40],
    ['c', 40],
    ['d', 101],
  ] as const)
    await small.fetch(key, async () => answer(bytes));
  expect(['a', 'b', 'c', 'd'].map((key) => small.standing(key) !== undefined)).toEqual([false, true, true, false]);
});

test('an answer that is made again is counted once', async () => {
  const { cache } = createCache({ maxBytes: 100 });
  for (let time = 0; time < 10; time += 1) await cache.fetch('a', async () => answer(40));
  await cache.fetch('b', async () => answer(40));
  expect([cache.standing('a'), cache.standing('b')].every((each) => each !== undefined)).toBe(true);
});
