import { describe, expect, test } from 'vitest';
import { createPublicLimits, type PublicLimits } from '../../src/edge/admission/public-limits.ts';
import type { SharedCounts } from '../../domain/ports/counts.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');

/** One store in memory for several processes. */
function createStore() {
  const rows = new Map<string, Map<string, number>>();
  const windows = new Set<number>();
  const forProcess = (process: string): SharedCounts => ({
    exchange: async (window, counts) => {
      windows.add(window);
      const others = new Map<string, number>();
      for (const [name, count] of counts) {
        const row = rows.get(`${window} ${name}`) ?? new Map<string, number>();
        rows.set(`${window} ${name}`, row.set(process, count));
        const sum = [...row].reduce((total, [each, value]) => (each === process ? total : total + value), 0);
        if (sum > 0) others.set(name, sum);
      }
      return others;
    },
    forget: async (before) => {
      for (const window of windows) if (window < before) windows.delete(window);
    },
  });
  return { forProcess, windows };
}

const logged: string[] = [];
const note = (_: object, message: string) => void logged.push(message);
const logger = { debug: note, info: note, warn: note, error: note };
const limits = (shared: SharedCounts, requests = 120, maxCounted?: number): PublicLimits =>
  createPublicLimits({
    limit: { requests, seconds: 60 },
    shared,
    logger,
    ...(maxCounted === undefined ? {} : { maxCounted }),
  });
const takeMany = (from: PublicLimits, times: number, address = 'a', now = START): number =>
  Array.from({ length: times }, () => from.take('op', address, now)).filter((wait) => wait === null).length;

describe('one process', () => {
  test('admits exactly the limit in each window, and windows are aligned to the clock', () => {
    const alone = limits(createStore().forProcess('p'));
    expect(takeMany(alone, 200, 'a', START + 59_999)).toBe(120);
    expect(alone.take('op', 'a', START + 59_999)).toBe(1);
    expect(takeMany(alone, 200, 'a', START + 60_000)).toBe(120);
    expect(alone.take('op', 'a', START + 60_001)).toBe(60);
    expect(alone.take('other', 'a', START + 60_001)).toBe(null);
    expect(alone.take('op', 'b', START + 60_001)).toBe(null);
  });

  test('stays bounded under a million forged addresses, and keeps the addresses that continue to ask', () => {
    const alone = limits(createStore().forProcess('p'), 120, 1_000);
    let admitted = 0;
    for (let number = 0; number < 1_000_000; number += 1) {
      alone.take('op', `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`, START);
      if (number % 400 === 0 && alone.take('op', 'steady', START) === null) admitted += 1;
    }
    expect([alone.counted, admitted]).toEqual([1_000, 120]);
  });

  test('counts at most a hundred thousand by default', () => {
    const alone = limits(createStore().forProcess('p'));
    for (let number = 0; number < 150_000; number += 1) alone.take('op', String(number), START);
    expect(alone.counted).toBe(100_000);
  });
});

describe('several processes', () => {
  test('apply one limit together with a delay of a second', async () => {
    const { forProcess } = createStore();
    const [one, two, three] = ['1', '2', '3'].map((name) => limits(forProcess(name)));
    expect([takeMany(one!, 50), takeMany(two!, 50)]).toEqual([50, 50]);
    await one!.merge(START);
    await two!.merge(START);
    expect(takeMany(two!, 50)).toBe(20);
    await two!.merge(START);
    expect(takeMany(three!, 1)).toBe(1);
    await three!.merge(START);
    expect(takeMany(three!, 1)).toBe(0);
    expect(takeMany(one!, 1)).toBe(1);
    await one!.merge(START);
    expect(takeMany(one!, 1)).toBe(0);
  });

  test('that send the same counts twice change nothing', async () => {
    const { forProcess } = createStore();
    const one = limits(forProcess('1'));
    const two = limits(forProcess('2'));
    for (let time = 0; time < 5; time += 1) {
      takeMany(one, 10);
      await one.merge(START);
    }
    takeMany(two, 1);
    await two.merge(START);
    expect(takeMany(two, 200)).toBe(69);
  });

  test('do not carry the counts of an ended window into the next', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<ReadonlyMap<string, number>>();
    const slow = limits({ exchange: () => released, forget: async () => undefined });
    takeMany(slow, 1);
    const merging = slow.merge(START);
    takeMany(slow, 1, 'a', START + 60_000);
    release(new Map([['op a', 500]]));
    await merging;
    expect(takeMany(slow, 1, 'a', START + 60_000)).toBe(1);
  });

  test('forget windows before the last one', async () => {
    const { forProcess, windows } = createStore();
    const one = limits(forProcess('1'));
    for (const minute of [0, 1, 2]) {
      takeMany(one, 1, 'a', START + minute * 60_000);
      await one.merge(START + minute * 60_000);
    }
    expect([...windows]).toEqual([START + 60_000, START + 120_000]);
  });

  test('exchange a small message for any number of addresses, repeated addresses first', async () => {
    const sizes: number[] = [];
    let steady = 0;
    const one = limits({
      exchange: async (_, counts) => {
        sizes.push(counts.size);
        steady ||= counts.get('op steady') ?? 0;
        return new Map();
      },
      forget: async () => undefined,
    });
    for (let number = 0; number < 50_000; number += 1) one.take('op', String(number), START);
    takeMany(one, 7, 'steady');
    await one.merge(START);
    await one.merge(START);
    expect([sizes, steady]).toEqual([[2_000, 2_000], 7]);
  });
});

describe('without the database', () => {
  test('a process counts alone, and logs once that it does and once that it no longer does', async () => {
    logged.length = 0;
    let down = true;
    const alone = limits({
      exchange: async () => {
        if (down) throw new Error('down');
        return new Map();
      },
      forget: async () => undefined,
    });
    for (let time = 0; time < 3; time += 1) {
      takeMany(alone, 1);
      await alone.merge(START);
    }
    expect(logged).toHaveLength(1);
    expect(takeMany(alone, 200)).toBe(117);
    down = false;
    await alone.merge(START);
    expect(logged).toHaveLength(2);
  });
});
