import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { testSeed } from '../support/test-seed.ts';
import { toPosition } from '../../infra/postgresql/log/log-position.ts';
import {
  HistorySetBack,
  LOG_START,
  type LogBatch,
  type Position,
  type ReadAll,
  type StoredEvent,
} from '../../domain/ports/event-log.ts';
import { windowed } from '../../infra/system/log-window.ts';

const TYPES = ['A', 'B', 'C'];

const eventAt = (position: number, history = 0): StoredEvent => ({
  position: toPosition(position),
  stream: `thing-${position}`,
  revision: 0,
  id: history === 0 ? String(position) : `${position}/${history}`,
  type: TYPES[(position * 7 + history) % 3]!,
  schemaVersion: 1,
  data: 'x'.repeat(position % 13),
  metadata: '{}',
  time: position,
});

/** A log in memory that implements the port; its answers wait for the test. */
function memoryLog() {
  const events: StoredEvent[] = [];
  let reads = 0;
  const read = async ({ after, afterId, limit, types }: ReadAll): Promise<LogBatch> => {
    reads += 1;
    const start = after === LOG_START ? 0 : Number(after);
    if (afterId !== undefined && events[start - 1]?.id !== afterId) throw new HistorySetBack(after, afterId);
    const received: StoredEvent[] = [];
    let scannedTo: Position = after;
    for (const event of events.slice(start)) {
      if (received.length === limit) break;
      if (types === undefined || types.includes(event.type)) received.push(event);
      scannedTo = event.position;
    }
    await Promise.resolve();
    return {
      events: received,
      scannedTo,
      scannedId: scannedTo === LOG_START ? undefined : events[Number(scannedTo) - 1]?.id,
    };
  };
  let history = 0;
  return {
    grow: (count: number) =>
      events.push(...Array.from({ length: count }, (_, nth) => eventAt(events.length + nth + 1, history))),
    /** A failover: the newest events are lost, and others get their positions. */
    lose: (count: number) => {
      events.length = Math.max(0, events.length - count);
      history += 1;
    },
    has: (batch: LogBatch) =>
      (batch.scannedTo === LOG_START ? undefined : events[Number(batch.scannedTo) - 1]?.id) === batch.scannedId,
    read,
    reads: () => reads,
    events,
  };
}

/**
 * A follower like `subscribeTo`; its folded events are reset together with the log, and it folds only events after a
 * proof.
 */
function followerOf(
  log: ReturnType<typeof memoryLog>,
  read: (read: ReadAll) => Promise<LogBatch>,
  types: string[] | undefined,
  limit: number,
) {
  let folded: StoredEvent[] = [];
  let checkpoint: Position = LOG_START;
  let start: { readonly after: Position; readonly afterId: string | undefined } | undefined;
  return {
    folded: () => folded,
    lose: () => {
      if (Number(checkpoint) <= log.events.length) return;
      checkpoint = log.events.at(-1)?.position ?? LOG_START;
      folded = folded.filter(({ position }) => position <= checkpoint);
    },
    /** True if it has folded or must begin again. */
    async turn(): Promise<boolean> {
      const from = start ?? { after: checkpoint, afterId: undefined };
      start = undefined;
      const batch = await read({ ...from, limit, ...(types === undefined ? {} : { types }) }).catch(
        (error: unknown) => {
          if (error instanceof HistorySetBack) return undefined;
          throw error;
        },
      );
      // The statement that saves the checkpoint compares both.
      if (batch === undefined || from.after !== checkpoint || !log.has(batch)) return true;
      expect(batch.events.length).toBeLessThanOrEqual(limit);
      expect(batch.scannedTo >= from.after).toBe(true);
      folded.push(...batch.events);
      checkpoint = batch.scannedTo;
      start = { after: checkpoint, afterId: batch.scannedId };
      return batch.scannedTo > from.after;
    },
  };
}

test('followers of any filter, pace and batch size get every event of the log once and in order', async () => {
  const follower = fc.record({
    types: fc.option(fc.subarray(TYPES, { minLength: 1 }), { nil: undefined }),
    limit: fc.integer({ min: 1, max: 40 }),
  });
  const step = fc.record({
    lose: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 40 })),
    grow: fc.integer({ min: 0, max: 60 }),
    who: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(follower, { minLength: 2, maxLength: 5 }),
      fc.array(step, { maxLength: 30 }),
      async (kinds, steps) => {
        const log = memoryLog();
        let now = 0;
        const { read } = windowed(log.read, { events: 50, characters: 200, age: 3 }, () => now);
        const followers = kinds.map(({ types, limit }) => followerOf(log, read, types, limit));
        for (const { lose, grow, who } of steps) {
          if (lose > 0) {
            log.lose(lose);
            for (const each of followers) each.lose();
          }
          log.grow(grow);
          now += grow % 3;
          await Promise.all(
            [...new Set(who.map((index) => followers[index % followers.length]!))].map((each) => each.turn()),
          );
        }
        for (const [index, each] of followers.entries()) {
          for (let turns = 0; await each.turn(); turns += 1) expect(turns).toBeLessThan(10_000);
          const { types } = kinds[index]!;
          const mine = log.events.filter(({ type }) => types === undefined || types.includes(type));
          expect(each.folded().map(({ id }) => id)).toEqual(mine.map(({ id }) => id));
        }
      },
    ),
    { numRuns: 500, seed: testSeed() },
  );
});

test('followers at the head share one read of new events', async () => {
  const log = memoryLog();
  const { read } = windowed(log.read);
  log.grow(10);
  const { scannedTo, scannedId } = await read({ after: LOG_START, limit: 100 });
  log.grow(30);
  const before = log.reads();
  const batches = await Promise.all(
    [undefined, ['A'], ['B']].map((types) =>
      read({ after: scannedTo, afterId: scannedId, limit: 100, ...(types === undefined ? {} : { types }) }),
    ),
  );
  expect(log.reads() - before).toBe(1);
  expect(batches[0]!.events).toHaveLength(30);
  const late = await read({ after: scannedTo, afterId: scannedId, limit: 7 });
  expect(late.events.map(({ position }) => position)).toEqual(
    batches[0]!.events.slice(0, 7).map(({ position }) => position),
  );
  expect(log.reads() - before).toBe(1);
});

test('events read ten seconds ago are dropped, and a follower that needs them reads them itself', async () => {
  const log = memoryLog();
  let now = 0;
  const { read } = windowed(log.read, undefined, () => now);
  log.grow(1);
  const { scannedTo: start } = await read({ after: LOG_START, limit: 100 });
  const ask = async (after: Position): Promise<readonly [count: number, reads: number]> => {
    const before = log.reads();
    return [
      (await read({ after, afterId: log.events[Number(after) - 1]!.id, limit: 100 })).events.length,
      log.reads() - before,
    ];
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

/** Starts at the head of a log of ten events; `answer` completes the oldest read that was sent since. */
async function heldAtHead() {
  const log = memoryLog();
  const releases: (() => void)[] = [];
  let isHeld = false;
  const { read } = windowed(async (question) => {
    const batch = await log.read(question);
    if (isHeld) await new Promise<void>((resolve) => releases.push(resolve));
    return batch;
  });
  log.grow(10);
  const { scannedTo, scannedId } = await read({ after: LOG_START, limit: 100 });
  isHeld = true;
  return {
    log,
    ask: () => read({ after: scannedTo, afterId: scannedId, limit: 100 }),
    answer: async () => {
      await expect.poll(() => releases.length).toBe(1);
      releases.shift()!();
    },
  };
}

test('a follower that an append woke gets it, also where a read was sent before the append', async () => {
  const { log, ask, answer } = await heldAtHead();
  const before = log.reads();
  const early = ask();
  await vi.waitUntil(() => log.reads() > before);
  log.grow(1);
  const late = ask();
  await answer();
  expect((await early).events).toEqual([]);
  await answer();
  expect((await late).events.map(({ id }) => id)).toEqual(['11']);
});

test('a follower that asks while new events are read shares that read', async () => {
  const { log, ask, answer } = await heldAtHead();
  log.grow(5);
  const before = log.reads();
  const early = ask();
  await vi.waitUntil(() => log.reads() > before);
  const late = ask();
  await answer();
  expect((await late).events).toEqual((await early).events);
  expect(log.reads() - before).toBe(1);
});

test('a window whose end the log has lost is not used, also after the log has grown past it again', async () => {
  const log = memoryLog();
  const { read } = windowed(log.read);
  log.grow(10);
  const ahead = await read({ after: LOG_START, limit: 100 });
  log.grow(10);
  const [behind, end] = await Promise.all(
    [3, 100].map((limit) => read({ after: ahead.scannedTo, afterId: ahead.scannedId, limit })),
  );
  log.lose(6);
  log.grow(20);
  await expect(read({ after: end!.scannedTo, afterId: end!.scannedId, limit: 100 })).rejects.toBeInstanceOf(
    HistorySetBack,
  );
  const whole = await log.read({ after: behind!.scannedTo, limit: 100 });
  const reads = [await read({ after: behind!.scannedTo, limit: 100 })];
  reads.push(await read({ after: behind!.scannedTo, afterId: behind!.scannedId, limit: 100 }));
  expect(reads).toEqual([whole, whole]);
});

test('a late answer of the log is not added to a window of another history', async () => {
  const log = memoryLog();
  let gate: PromiseWithResolvers<void> | undefined;
  const { read, forget } = windowed(async (question) => {
    const batch = await log.read(question);
    await gate?.promise;
    return batch;
  });
  log.grow(10);
  const { scannedTo, scannedId } = await read({ after: LOG_START, limit: 100 });
  log.grow(5);
  const answer = Promise.withResolvers<void>();
  gate = answer;
  const late = read({ after: scannedTo, afterId: scannedId, limit: 100 });
  await vi.waitUntil(() => log.reads() === 2);
  gate = undefined;
  log.lose(10);
  log.grow(5);
  forget();
  const other = await read({ after: toPosition(5), limit: 100 });
  log.grow(5);
  expect(other.scannedTo).toBe(scannedTo);
  answer.resolve();
  await late;
  const next = await read({ after: other.scannedTo, afterId: other.scannedId, limit: 100 });
  expect(next.events.map(({ id }) => id)).toEqual(log.events.slice(10).map(({ id }) => id));
});

test('a follower that starts again ends a window that extends beyond the log', async () => {
  const log = memoryLog();
  const { read } = windowed(log.read);
  log.grow(10);
  const { scannedTo, scannedId } = await read({ after: LOG_START, limit: 100 });
  log.grow(5);
  await read({ after: scannedTo, afterId: scannedId, limit: 100 });
  log.lose(5);
  const anew = await read({ after: scannedTo, limit: 100 });
  expect((await read({ after: anew.scannedTo, afterId: anew.scannedId, limit: 100 })).events).toEqual([]);
});
