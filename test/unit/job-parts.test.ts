import { expect, test } from 'vitest';
import type { DueJob } from '../../domain/ports/reactors.ts';
import {
  type JobPart,
  MAX_FIRST_RUNS,
  MAX_RUNNING_PARTS,
  nextRunOf,
  partsOf,
} from '../../src/processors/runtime/job-parts.ts';

const names = Array.from({ length: 3 * MAX_RUNNING_PARTS }, (_, n) => `part ${n}`);
const parts: readonly JobPart[] = names.map((lease) => ({ lease, run: async () => undefined }));
const repeated = (due: readonly string[]): readonly DueJob[] => due.map((name) => ({ name, isFirst: false }));
const MINUTE_MS = 60_000;

/** Parts that run until they are ended. All of them are due unless `due` lists others. */
function opened(due: readonly DueJob[] = repeated(names), checksPerInterval = 1) {
  const stopping = new AbortController();
  const [started, endings, failures]: [string[], Map<string, (error?: Error) => void>, unknown[]] = [[], new Map(), []];
  let checks = 0;
  const job = partsOf(async () => parts, {
    listDue: async () => {
      checks += 1;
      return due;
    },
    runPart: ({ lease }) => {
      started.push(lease);
      return new Promise<void>((resolve, reject) =>
        endings.set(lease, (error) => (error === undefined ? resolve() : reject(error))),
      );
    },
    failed: (error) => void failures.push(error),
    stopping: stopping.signal,
    checksPerInterval,
  });
  const end = async (lease: string, error?: Error) => {
    endings.get(lease)!(error);
    await new Promise(setImmediate);
  };
  return { job, started, failures, stopping, end, checks: () => checks };
}

test('of many parts a few run at a time, the others in their order as soon as one ends or fails, each once', async () => {
  const { job, started, failures, end } = opened();
  await job.run();
  await job.run();
  expect(started).toEqual(names.slice(0, MAX_RUNNING_PARTS));
  await end(names[1]!);
  await end(names[0]!, new Error('one failed'));
  expect(started).toEqual(names.slice(0, MAX_RUNNING_PARTS + 2));
  expect(failures).toHaveLength(1);
  for (const name of names.slice(2)) await end(name);
  await job.ended!();
  expect(started).toEqual(names);
  await job.run();
  expect(started.slice(names.length)).toEqual(names.slice(0, MAX_RUNNING_PARTS));
});

test('a part that waits when the process stops is not started', async () => {
  const { job, started, stopping, end } = opened();
  await job.run();
  expect(started).toHaveLength(MAX_RUNNING_PARTS);
  stopping.abort();
  for (const name of names.slice(0, MAX_RUNNING_PARTS)) await end(name);
  expect(started).toHaveLength(MAX_RUNNING_PARTS);
  await job.ended!();
});

test('a check asks once for all parts, and no part that is not due is started', async () => {
  const { job, started, checks } = opened([]);
  await job.run();
  expect(checks()).toBe(1);
  expect(started).toEqual([]);
});

test('new parts start at once, at most two at a time, and do not delay the others', async () => {
  const fresh = names.slice(0, 5).map((name) => ({ name, isFirst: true }));
  const { job, started, end } = opened([...fresh, ...repeated(names.slice(5))]);
  await job.run();
  expect(started).toEqual([...names.slice(0, MAX_FIRST_RUNS), ...names.slice(5, 7)]);
  await end(names[5]!);
  expect(started.at(-1)).toBe(names[7]);
  await end(names[0]!);
  expect(started.at(-1)).toBe(names[MAX_FIRST_RUNS]);
});

test('after a pause of the service each check starts only twice the parts that their interval requires', async () => {
  const checksPerInterval = names.length;
  const { job, started, end } = opened(repeated(names), checksPerInterval);
  await job.run();
  for (const name of names.slice(0, 2)) await end(name);
  expect(started).toEqual(names.slice(0, 2));
  await job.run();
  expect(started).toHaveLength(4);
});

test('the next runs of 200 parts that end at the same time are spread over the interval', () => {
  const everyMs = 15 * MINUTE_MS;
  const now = Date.parse('2026-03-31T12:00:00Z');
  const times = Array.from({ length: 200 }, (_, n) => nextRunOf(`poll civicplus:site-${n}.example`, everyMs, now));
  expect(Math.min(...times)).toBeGreaterThan(now);
  expect(Math.max(...times)).toBeLessThanOrEqual(now + everyMs);
  const perMinute = Map.groupBy(times, (time) => Math.floor((time - now) / MINUTE_MS));
  // 200 in 15 minutes are 13 in a minute.
  expect(perMinute.size).toBe(15);
  expect(Math.max(...[...perMinute.values()].map(({ length }) => length))).toBeLessThan(27);
});

test('a part runs once per interval at its own time, whenever its last run ended', () => {
  const everyMs = 15 * MINUTE_MS;
  const first = nextRunOf('poll site', everyMs, Date.parse('2026-03-31T12:00:00Z'));
  for (const ended of [first, first + 1, first + everyMs - 1]) {
    expect(nextRunOf('poll site', everyMs, ended)).toBe(first + everyMs);
  }
  expect(nextRunOf('poll site', everyMs, first - 1)).toBe(first);
});
