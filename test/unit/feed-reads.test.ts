import { expect, test } from 'vitest';
import type { FeedRead } from '../../domain/ports/counts.ts';
import { createFeedReads } from '../../src/edge/admission/feed-reads.ts';

/** Sleeps until `wake` is called. */
function openReads(store?: () => Promise<void>) {
  const stored: (readonly FeedRead[])[] = [];
  const failures: unknown[] = [];
  const pauses: number[] = [];
  let wake = (): void => undefined;
  const reads = createFeedReads({
    store: async (batch) => {
      stored.push(batch);
      await store?.();
    },
    clock: { now: () => 7 },
    machineClock: {
      sleep: (milliseconds, signal) =>
        new Promise((resolve, reject) => {
          pauses.push(milliseconds);
          wake = resolve;
          if (signal!.aborted) reject(signal!.reason as Error);
          signal!.addEventListener('abort', () => reject(signal!.reason as Error));
        }),
    },
    onFailure: (error) => void failures.push(error),
  });
  return { reads, stored, failures, pauses, wake: () => wake() };
}

test('the first read is stored at once, and the last read of each key a minute later', async () => {
  const { reads, stored, pauses, wake } = openReads();
  reads.read('a', 1);
  expect(stored).toEqual([[{ keyId: 'a', readAt: 7, unreadSince: 1 }]]);
  await expect.poll(() => pauses).toEqual([60_000]);
  for (const unreadSince of [2, 3, null]) reads.read('a', unreadSince);
  reads.read('b', 4);
  expect(stored).toHaveLength(1);
  wake();
  await expect
    .poll(() => stored.slice(1))
    .toEqual([
      [
        { keyId: 'a', readAt: 7, unreadSince: null },
        { keyId: 'b', readAt: 7, unreadSince: 4 },
      ],
    ]);
  await reads.close();
});

test('closing stores what is left, and a failure is reported and ends nothing', async () => {
  const { reads, stored, failures, pauses } = openReads(async () => await Promise.reject(new Error('down')));
  reads.read('a', 1);
  await expect.poll(() => pauses).toHaveLength(1);
  reads.read('a', 2);
  await reads.close();
  expect(stored.map(([first]) => first!.unreadSince)).toEqual([1, 2]);
  expect(failures).toHaveLength(2);
});
