import { describe, expect, test } from 'vitest';
import { leaveOnAbort, limitConcurrency } from '../../src/edge/admission/limit-concurrency.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { Rejection } from '../../domain/rejections.ts';

const LIMIT = 2;
const MAX_WAITING = 100;
const BOUNDS = { what: 'searches', maxWaiting: MAX_WAITING, maxWaitMs: 1_000 };
const { signal: never } = new AbortController();

/** A limit whose waits end when the test ends them, and searches that do so too. */
function start() {
  const waits = new Set<() => void>();
  const clock: Clock = {
    now: () => 0,
    sleep: (_, signal) =>
      new Promise((resolve, reject) => {
        waits.add(resolve);
        signal?.addEventListener('abort', () => {
          waits.delete(resolve);
          reject(signal.reason as Error);
        });
      }),
  };
  const limit = limitConcurrency({ ...BOUNDS, concurrency: LIMIT, clock });
  const running: (() => void)[] = [];
  const search = (account: string, signal = never): Promise<string> =>
    limit(account, leaveOnAbort(signal), () => new Promise<string>((resolve) => running.push(() => resolve(account))));
  return { waits, running, search };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));
const outcomeOf = (search: Promise<string>) =>
  search.catch((error: unknown) => (error instanceof Rejection ? error.code : error));

describe('the searches of one account', () => {
  test('run concurrently up to the limit, and the others in their order as those end', async () => {
    const { running, search, waits } = start();
    const searches = Array.from({ length: 5 }, () => search('a'));
    for (const each of [2, 3, 4, 5, 5]) {
      await settle();
      expect(running.length).toBe(each);
      running[each - LIMIT]!();
    }
    running.forEach((end) => end());
    expect(await Promise.all(searches)).toEqual(searches.map(() => 'a'));
    await settle();
    expect(waits.size).toBe(0);
  });

  test('that wait too long are refused, and do not use the place of later ones', async () => {
    const { running, search, waits } = start();
    const first = [search('a'), search('a')];
    const late = outcomeOf(search('a'));
    await settle();
    waits.forEach((end) => end());
    expect(await late).toBe('rate_limited');
    running.forEach((end) => end());
    await Promise.all(first);
    const next = [search('a'), search('a')];
    await settle();
    expect(running.length).toBe(2 * LIMIT);
    running.forEach((end) => end());
    await Promise.all(next);
  });

  test('that find no room in the queue are refused at once', async () => {
    const { running, search } = start();
    const admitted = Array.from({ length: LIMIT + MAX_WAITING }, () => search('a'));
    expect(await outcomeOf(search('a'))).toBe('rate_limited');
    for (let ended = 0; ended < admitted.length; ended += 1) {
      await settle();
      running[ended]!();
    }
    await Promise.all(admitted);
  });

  test('leave the queue when their client disconnects', async () => {
    const { running, search } = start();
    const first = [search('a'), search('a')];
    const leaving = new AbortController();
    const abandoned = outcomeOf(search('a', leaving.signal));
    const last = search('a');
    await settle();
    leaving.abort('gone');
    expect(await abandoned).toBe('gone');
    running[0]!();
    await settle();
    expect(running.length).toBe(LIMIT + 1);
    running.forEach((end) => end());
    await Promise.all([...first, last]);
  });

  test('free their place when they fail', async () => {
    const limit = limitConcurrency({
      ...BOUNDS,
      concurrency: 1,
      clock: { now: () => 0, sleep: () => new Promise(() => undefined) },
    });
    const failing = limit('a', leaveOnAbort(never), () => Promise.reject(new Error('no')));
    const next = limit('a', leaveOnAbort(never), () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});

test('the searches of one account do not wait for those of another', async () => {
  const { running, search } = start();
  const greedy = Array.from({ length: 10 }, () => search('a'));
  const other = search('b');
  await settle();
  expect(running.length).toBe(LIMIT + 1);
  running.at(-1)!();
  expect(await other).toBe('b');
  for (const index of greedy.keys()) {
    await settle();
    running.filter((_, at) => at !== LIMIT)[index]!();
  }
  await Promise.all(greedy);
});
