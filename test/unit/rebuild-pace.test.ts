import { expect, test } from 'vitest';
import { createRebuildThrottle } from '../../src/processors/projector/rebuild-throttle.ts';
import { createTrafficWatch } from '../../src/processors/projector/rebuild-throttle.ts';

/** A database with a rate of other traffic; its clock advances while a batch is folded and during a rest. */
function beside(othersPerSecond: () => number, most = 2000) {
  let now = 1_000_000;
  let uses = 0;
  const rests: number[] = [];
  const clock = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      rests.push(milliseconds);
      pass(milliseconds);
    },
  };
  const pass = (milliseconds: number) => {
    now += milliseconds;
    uses += (othersPerSecond() * milliseconds) / 1000;
  };
  const traffic = { uses: async () => uses };
  const watch = createTrafficWatch({ traffic, leaseClock: clock });
  const pace = createRebuildThrottle({ leaseClock: clock, batchSize: most }, watch, new AbortController().signal);
  return {
    pace,
    rests,
    /** Folds for the given time at the given milliseconds per event; returns the number of events folded. */
    fold: async (milliseconds: number, msAnEvent: number): Promise<number> => {
      let folded = 0;
      const until = clock.now() + milliseconds;
      while (clock.now() < until) {
        const events = pace.batchSize;
        const took = events * msAnEvent;
        pass(took);
        folded += events;
        await pace.rest(events, took);
      }
      return folded;
    },
  };
}

test('without readers it never rests and folds full batches', async () => {
  const { pace, rests, fold } = beside(() => 0);
  const folded = await fold(10_000, 0.05);
  expect(rests).toEqual([]);
  expect(folded).toBeGreaterThanOrEqual(10_000 / 0.05);
  expect(pace.batchSize).toBe(500);
});

test('with readers it folds short batches and rests half as long as it works', async () => {
  const { pace, rests, fold } = beside(() => 300);
  const folded = await fold(10_000, 0.2);
  expect(pace.batchSize * 0.2).toBeLessThanOrEqual(10);
  const rested = rests.reduce((sum, rest) => sum + rest, 0);
  expect(rested).toBeGreaterThan(2_700);
  expect(rested).toBeLessThan(3_700);
  expect(folded).toBeGreaterThan(20_000);
});

test('it slows down when readers come and speeds up when they have gone', async () => {
  let others = 0;
  const { rests, fold } = beside(() => others);
  await fold(3_000, 0.05);
  const alone = rests.length;
  others = 200;
  await fold(4_000, 0.05);
  const given = rests.length;
  expect(given).toBeGreaterThan(alone + 10);
  others = 0;
  await fold(3_000, 0.05);
  const gone = rests.length;
  await fold(3_000, 0.05);
  expect(rests.length).toBe(gone);
});

test('on a busy machine where a batch takes ten times as long, batches are shorter and not empty', async () => {
  const { pace, fold } = beside(() => 300);
  await fold(5_000, 0.1);
  const usual = pace.batchSize;
  await fold(5_000, 2);
  expect(pace.batchSize).toBeLessThan(usual);
  expect(pace.batchSize).toBeGreaterThanOrEqual(50);
});

test('a batch during which the clock was set back is followed by a short rest', async () => {
  const { pace, rests, fold } = beside(() => 300);
  await fold(3_000, 0.2);
  rests.length = 0;
  await pace.rest(50, -45);
  expect(rests).toEqual([0.5]);
});

test('it folds at most as many events as the program folds at once', async () => {
  const { pace, fold } = beside(() => 0, 20);
  await fold(3_000, 0.05);
  expect(pace.batchSize).toBe(20);
});

test('it keeps its pace while the traffic cannot be read', async () => {
  let away = false;
  let uses = 0;
  let now = 0;
  const traffic = { uses: () => (away ? Promise.reject(new Error('away')) : Promise.resolve(uses)) };
  const watch = createTrafficWatch({ traffic, leaseClock: { now: () => now, sleep: async () => undefined } });
  const second = async () => {
    now += 1_000;
    uses += 500;
    await watch.look();
    return watch.busy;
  };
  expect(await second()).toBe(false);
  expect(await second()).toBe(true);
  away = true;
  expect(await second()).toBe(true);
});
