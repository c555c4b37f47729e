import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRewritingPace } from '../../client/mirror/rewriting-pace.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test.each([
  ['once a minute at most', 0, 60],
  ['in a fiftieth of the time where that takes longer', 2, 100],
])('the files of a mirror are rewritten %s, and at once where that is asked for', async (_, lasting, pause) => {
  const pace = createRewritingPace();
  let times = 0;
  async function timesAfter(seconds: number, now: boolean): Promise<number> {
    vi.advanceTimersByTime(seconds * 1000);
    await pace(now, async () => {
      times += 1;
      vi.advanceTimersByTime(lasting * 1000);
    });
    return times;
  }
  expect(await timesAfter(0, false)).toBe(1);
  expect(await timesAfter(pause - 1, false)).toBe(1);
  expect(await timesAfter(1, false)).toBe(2);
  expect(await timesAfter(0, true)).toBe(3);
});
