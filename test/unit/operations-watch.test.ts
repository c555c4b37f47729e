import { expect, test } from 'vitest';
import { LogUnavailable } from '../../domain/ports/event-log.ts';
import type { Operations } from '../../queries/operators/read-operations.ts';
import { createOperationsWatch } from '../../src/edge/ops/operations-watch.ts';

const READ: Operations = {
  log: { head: '1', events: 1 },
  feedPosition: 1,
  projections: [],
  reactors: [],
  databaseBytes: 0,
  exports: { snapshots: 0, subscriptions: 0 },
  reports: { open: new Map(), oldestOpen: null, bounds: [], durations: [] },
  sources: [],
  sourceChecks: [],
  payments: new Map(),
  setBacks: [],
  readers: [],
  unclassified: 0,
  backupSeconds: null,
};
const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

/** Each sleep returns at once and advances the clock by its duration. */
function clockOf() {
  let time = 1_000_000;
  const advance = (milliseconds: number) => void (time += milliseconds);
  return { now: () => time, sleep: async (milliseconds: number) => advance(milliseconds), advance };
}

test('one reading runs for any number of readers, and is reported as slow and then hanging until it ends', async () => {
  const clock = clockOf();
  let readings = 0;
  let { promise, resolve } = Promise.withResolvers<Operations>();
  const read = () => {
    readings += 1;
    return promise;
  };
  const watch = createOperationsWatch({ read, logApart: false, clock, logger });
  const began = clock.now();
  expect(await watch()).toEqual({ reachable: 'slow', since: began, newest: null });
  expect(await Promise.all([watch(), watch()])).toMatchObject([{ since: began }, { since: began }]);
  clock.advance(5_000);
  expect(await watch()).toEqual({ reachable: 'hangs', since: began, newest: null });
  expect(readings).toBe(1);
  resolve(READ);
  await promise;
  expect(await watch()).toMatchObject({ reachable: 'answers', since: null, newest: { operations: READ } });
  ({ promise, resolve } = Promise.withResolvers<Operations>());
  clock.advance(1_000);
  expect(await watch()).toMatchObject({ reachable: 'slow', newest: { operations: READ } });
  expect(readings).toBe(2);
});

test('a reading serves all requests for a second, and a failed one is not repeated by each of them', async () => {
  const clock = clockOf();
  let readings = 0;
  const read = async () => {
    readings += 1;
    if (readings > 1) throw new Error('gone');
    return READ;
  };
  const watch = createOperationsWatch({
    read,
    logApart: false,
    clock: { ...clock, sleep: () => new Promise(silent) },
    logger,
  });
  for (let reads = 0; reads < 5; reads += 1) expect((await watch()).reachable).toBe('answers');
  expect(readings).toBe(1);
  clock.advance(1_000);
  const since = clock.now();
  for (let reads = 0; reads < 5; reads += 1) {
    expect(await watch()).toMatchObject({ reachable: 'unreachable', since, newest: { operations: READ } });
  }
  expect(readings).toBe(2);
});

test('a log that is in the database is away with it; only one with a server of its own is away alone', async () => {
  const read = async () => {
    throw new LogUnavailable('gone');
  };
  const reachable = async (logApart: boolean) =>
    (await createOperationsWatch({ read, logApart, clock: clockOf(), logger })()).reachable;
  expect([await reachable(false), await reachable(true)]).toEqual(['unreachable', 'log-unreachable']);
});
