import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPosition } from '../../infra/postgresql/log-position.ts';
import { windowed } from '../../infra/postgresql/log-window.ts';
import { type LogBatch, LOG_START, type Position, type ReadAll, type StoredEvent } from '../../domain/ports/event-log.ts';

const TYPES = ['A', 'B', 'C'];

const eventAt = (position: number): StoredEvent => ({
  position: toPosition(position),
  stream: `thing-${position}`,
  revision: 0,
  id: String(position),
  type: TYPES[(position * 7) % 3]!,
  schemaVersion: 1,
  data: 'x'.repeat(position % 13),
  metadata: '{}',
  time: position,
});

/** A log in memory, read as the port says; answers come when the test lets them. */
const memoryLog = () => {
  const events: StoredEvent[] = [];
  let reads = 0;
  const read = async ({ after, limit, types }: ReadAll): Promise<LogBatch> => {
    reads += 1;
    const start = after === LOG_START ? 0 : Number(after);
    const found: StoredEvent[] = [];
    let scannedTo: Position = after;
    for (const event of events.slice(start)) {
      if (found.length === limit) break;
      if (types === undefined || types.includes(event.type)) found.push(event);
      scannedTo = event.position;
    }
    await Promise.resolve();
    return { events: found, scannedTo };
  };
  return {
    grow: (count: number) => events.push(...Array.from({ length: count }, (_, nth) => eventAt(events.length + nth + 1))),
    read,
    reads: () => reads,
    events,
  };
};

test('followers of any filter, pace and batch size get every event of theirs once and in order', async () => {
  const follower = fc.record({
    types: fc.option(fc.subarray(TYPES, { minLength: 1 }), { nil: undefined }),
    limit: fc.integer({ min: 1, max: 40 }),
  });
  const step = fc.record({ grow: fc.integer({ min: 0, max: 60 }), who: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 8 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(follower, { minLength: 2, maxLength: 5 }), fc.array(step, { maxLength: 30 }), async (followers, steps) => {
      const log = memoryLog();
      let now = 0;
      const { read } = windowed(log.read, { events: 50, characters: 200, age: 3 }, () => now);
      const states = followers.map((options) => ({ ...options, after: LOG_START, seen: [] as StoredEvent[] }));
      const turn = async (state: (typeof states)[number]) => {
        const batch = await read({ after: state.after, limit: state.limit, ...(state.types === undefined ? {} : { types: state.types }) });
        expect(batch.events.length).toBeLessThanOrEqual(state.limit);
        expect(batch.scannedTo >= state.after).toBe(true);
        state.seen.push(...batch.events);
        state.after = batch.scannedTo;
        return batch;
      };
      for (const { grow, who } of steps) {
        log.grow(grow);
        now += grow % 3;
        const turns = new Map(who.map((index) => [index % states.length, states[index % states.length]!]));
        await Promise.all([...turns.values()].map(turn));
      }
      for (const state of states) {
        for (let before: Position | undefined; before !== state.after; ) {
          before = state.after;
          await turn(state);
        }
        const mine = log.events.filter(({ type }) => state.types === undefined || state.types.includes(type));
        expect(state.seen.map(({ id }) => id)).toEqual(mine.map(({ id }) => id));
      }
    }),
    { numRuns: 300 },
  );
});

test('followers at the head share one read of what is new', async () => {
  const log = memoryLog();
  const { read } = windowed(log.read);
  log.grow(10);
  const { scannedTo } = await read({ after: LOG_START, limit: 100 });
  log.grow(30);
  const before = log.reads();
  const batches = await Promise.all(
    [undefined, ['A'], ['B']].map((types) => read({ after: scannedTo, limit: 100, ...(types === undefined ? {} : { types }) })),
  );
  expect(log.reads() - before).toBe(1);
  expect(batches[0]!.events).toHaveLength(30);
  const late = await read({ after: scannedTo, limit: 7 });
  expect(late.events.map(({ position }) => position)).toEqual(batches[0]!.events.slice(0, 7).map(({ position }) => position));
  expect(log.reads() - before).toBe(1);
});

test('what was read ten seconds ago is kept no longer, and whoever still wants it reads for himself', async () => {
  const log = memoryLog();
  let now = 0;
  const { read } = windowed(log.read, undefined, () => now);
  log.grow(1);
  const { scannedTo: start } = await read({ after: LOG_START, limit: 100 });
  const ask = async (after: Position): Promise<readonly [count: number, reads: number]> => {
    const before = log.reads();
    return [(await read({ after, limit: 100 })).events.length, log.reads() - before];
  };
  log.grow(10);
  await ask(start);
  now = 9_000;
  log.grow(5);
  expect(await ask(toPosition(11))).toEqual([5, 1]);
  expect(await ask(start)).toEqual([15, 0]);
  now = 11_000;
  expect(await ask(toPosition(16))).toEqual([0, 1]);
  expect(await ask(toPosition(11))).toEqual([5, 0]);
  expect(await ask(toPosition(4))).toEqual([12, 1]);
  now = 20_000;
  expect(await ask(toPosition(16))).toEqual([0, 1]);
  expect(await ask(toPosition(11))).toEqual([5, 1]);
});

test('a follower that was woken by an append does not join a read that was sent before it', async () => {
  const log = memoryLog();
  const sent: (() => void)[] = [];
  let held = false;
  const { read } = windowed(async (question) => {
    const found = await log.read(question);
    if (held) await new Promise<void>((resolve) => sent.push(resolve));
    return found;
  });
  log.grow(10);
  const { scannedTo } = await read({ after: LOG_START, limit: 100 });
  held = true;
  const early = read({ after: scannedTo, limit: 100 });
  await expect.poll(() => sent.length).toBe(1);
  log.grow(1);
  const late = read({ after: scannedTo, limit: 100 });
  await expect.poll(() => sent.length).toBe(2);
  for (const answer of sent) answer();
  expect((await early).events).toEqual([]);
  expect((await late).events.map(({ id }) => id)).toEqual(['11']);
});
