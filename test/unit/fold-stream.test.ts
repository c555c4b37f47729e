import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Decider } from '../../commands/decider.ts';
import { beginFold, continueFold, foldStream, handle } from '../../commands/handle.ts';
import { Rejection } from '../../domain/rejections.ts';
import { memoryCheckpoints } from '../support/memory-checkpoints.ts';
import { memoryLog } from '../support/memory-log.ts';

interface Added {
  readonly type: 'Added';
  readonly data: { readonly amount: number };
}

const EVERY = 10;
const counter = (version = 1): Decider<number, { readonly add: number; readonly most: number }, Added> => ({
  initialState: () => 0,
  decide: ({ add, most }, sum) =>
    sum + add > most
      ? new Rejection('invalid_parameter', `${sum} and ${add} are over ${most}`)
      : [{ type: 'Added', data: { amount: add } }],
  // The second version counts each event twice.
  evolve: (sum, { data }) => sum + data.amount * version,
  read: ({ data }) => ({ type: 'Added', data: JSON.parse(data) as Added['data'] }),
  schemaVersion: 1,
  checkpoint: {
    name: 'counter',
    version,
    every: EVERY,
    write: (sum) => ({ sum }),
    read: (written) => {
      const { sum } = written as { sum: unknown };
      if (typeof sum !== 'number') throw new Error('no sum');
      return sum;
    },
  },
});

const clock = { now: () => 1_000, sleep: async () => undefined };
const stream = 'counter-1';
let log: ReturnType<typeof memoryLog>;
let checkpoints: ReturnType<typeof memoryCheckpoints>;

const add = (amount = 1, { most = 1_000_000, decider = counter() } = {}) =>
  handle({
    log: log.log,
    checkpoints,
    clock,
    decider,
    stream,
    command: { add: amount, most },
    commandId: randomUUID(),
    context: {},
    deadline: 60_000,
  });
const sumNow = async (decider = counter()) => (await foldStream({ log: log.log, checkpoints }, decider, stream)).state;
async function addMany(times: number) {
  for (let time = 0; time < times; time += 1) await add();
}

beforeEach(() => {
  log = memoryLog();
  checkpoints = memoryCheckpoints();
});

describe('a stream with a checkpoint', () => {
  test('is read from near its end: a command costs the same at a thousand events as at twenty', async () => {
    const costs: number[] = [];
    for (let time = 1; time <= 1_000; time += 1) {
      const before = log.read;
      await add();
      costs.push(log.read - before);
    }
    expect(Math.max(...costs.slice(500))).toBeLessThanOrEqual(EVERY + 1);
    expect(Math.max(...costs.slice(500))).toBe(Math.max(...costs.slice(20, 100)));
    expect(await sumNow()).toBe(1_000);
  });

  test('decides as it does without one', async () => {
    await addMany(95);
    expect(await add(6, { most: 100 })).toMatchObject({ kind: 'rejected' });
    expect(await add(5, { most: 100 })).toMatchObject({ kind: 'appended', revision: 95 });
    expect((await foldStream({ log: log.log }, counter(), stream)).state).toBe(100);
  });

  test('saves none of a partial read: a command that reads from the middle makes no checkpoint', async () => {
    await addMany(EVERY - 1);
    const partial = {
      log: log.log,
      checkpoints,
      clock,
      decider: counter(),
      stream,
      after: 4,
      context: {},
      deadline: 60_000,
    };
    for (let time = 0; time < 3 * EVERY; time += 1) {
      await handle({ ...partial, command: { add: 1, most: 1_000_000 }, commandId: randomUUID() });
    }
    expect(checkpoints.rows.size).toBe(0);
    expect(await sumNow()).toBe(4 * EVERY - 1);
  });

  test('finds its own event after an append of unknown outcome, and stores no second one', async () => {
    await addMany(25);
    log.fates.push('lose after');
    expect(await add(7)).toMatchObject({ kind: 'appended', revision: 25 });
    expect(log.events).toHaveLength(26);
    expect(await sumNow()).toBe(32);
  });
});

test('a checkpoint keeps the mark from before its first event was read, through all retries', async () => {
  await addMany(EVERY - 1);
  const marks: (string | null)[] = [];
  let mark = 0;
  const marked = {
    load: async () => ({ checkpoint: null, mark: String(mark) }),
    save: async (_: unknown, of: string | null) => void marks.push(of),
  };
  const parts = { log: log.log, checkpoints: marked };
  const before = await continueFold(parts, counter(), stream, await beginFold(parts, counter(), stream));
  expect(marks).toEqual([]);
  // A text is erased, and another event is appended.
  mark = 1;
  await addMany(1);
  await continueFold(parts, counter(), stream, before);
  await foldStream(parts, counter(), stream);
  expect(marks).toEqual(['0', '1']);
});

describe('a checkpoint is ignored and replaced when it', () => {
  const spoiled = async (spoil: () => void, version = 1) => {
    await addMany(30);
    spoil();
    const whole = () => log.events.reduce((sum, { data }) => sum + (JSON.parse(data) as Added['data']).amount, 0);
    expect(await sumNow(counter(version))).toBe(whole() * version);
    await addMany(EVERY + 1);
    const before = log.read;
    expect(await sumNow()).toBe(whole());
    expect(log.read - before).toBeLessThanOrEqual(EVERY + 1);
  };
  const edit = (change: object) => () => checkpoints.edit('counter', (checkpoint) => ({ ...checkpoint, ...change }));

  test('was written by another version of the decider', () => spoiled(() => undefined, 2));
  test('holds a state that was edited', () => spoiled(edit({ state: '{"sum":7}' })));
  test('contains text that is not a state', () => spoiled(edit({ state: '{"s' })));
  test('has another revision', () => spoiled(edit({ revision: 12 })));
  test('is of another log, whose stream has another event at that revision', () =>
    spoiled(() => {
      for (const [index, event] of log.events.entries())
        log.events[index] = { ...event, id: randomUUID(), data: '{"amount":5}' };
    }));
  test('holds a sealed state that the decider cannot read', () =>
    spoiled(() => checkpoints.reseal('counter', (checkpoint) => ({ ...checkpoint, state: '{"total":9}' }))));
  test('is ahead of a log that was restored', () =>
    spoiled(() => {
      log.events.length = 12;
    }));
  test('cannot be read', () => spoiled(() => checkpoints.rows.clear()));
});
