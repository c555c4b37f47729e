import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../infra/system/clock.ts';

const LONG_MS = 60_000;

describe('a wait of the machine clock', () => {
  test('resolves after its time and leaves no listener on its signal', async () => {
    const { signal } = new AbortController();
    await systemClock.sleep(1, signal);
    await systemClock.sleep(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('rejects with the reason of its signal, also of one that has aborted before', async () => {
    const reason = new Error('over');
    const stopping = new AbortController();
    const wait = systemClock.sleep(LONG_MS, stopping.signal);
    stopping.abort(reason);
    await expect(wait).rejects.toBe(reason);
    await expect(systemClock.sleep(LONG_MS, stopping.signal)).rejects.toBe(reason);
  });
});
