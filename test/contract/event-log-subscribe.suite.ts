import { describe, expect, test } from 'vitest';
import {
  type EventLog,
  type LogBatch,
  NO_STREAM,
  type Position,
  type StoredEvent,
} from '../../domain/ports/event-log.ts';
import { freshStream, newEvent, newEvents, type OpenStore, readOn, useStore } from '../support/event-log-builders.ts';

async function appendMany(log: EventLog, count: number, type = 'RecordPublished'): Promise<void> {
  const appends = Array.from({ length: count }, () => ({
    stream: freshStream(),
    expectedRevision: NO_STREAM,
    events: [newEvent({ type })],
  }));
  await log.appendEach(appends);
}

/** Reads a subscription past the position and ends it. */
async function collect(
  log: EventLog,
  after: Position,
  until: () => Promise<Position>,
  batchSize: number,
  types?: string[],
) {
  const stop = new AbortController();
  const batches: LogBatch[] = [];
  const end = await until();
  for await (const batch of log.subscribe({
    after,
    batchSize,
    signal: stop.signal,
    ...(types === undefined ? {} : { types }),
  })) {
    batches.push(batch);
    if (batch.scannedTo >= end) stop.abort();
  }
  return batches;
}

export function subscribeContract(openStore: OpenStore): void {
  describe('a subscription', () => {
    const store = useStore(openStore);

    test('catches up in order, in batches no larger than requested', async () => {
      const before = await store.log.head();
      await appendMany(store.log, 57);
      const batches = await collect(store.log, before, async () => await store.log.head(), 10);
      expect(batches.every(({ events }) => events.length <= 10)).toBe(true);
      expect(batches.flatMap(({ events }) => events)).toEqual(await readOn(store.log, before));
    });

    test('continues live with appends of others, without missing or repeating any', async () => {
      const before = await store.log.head();
      const writers = [store.log, store.connect(), store.connect()];
      await appendMany(store.log, 5);
      const writing = Promise.all(
        writers.map(async (log, n) => {
          for (let round = 0; round < 20; round += 1) {
            if (n === 0) await appendMany(log, 3);
            else
              await Promise.all(
                newEvents(3).map(
                  async (event) =>
                    await log.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: [event] }),
                ),
              );
          }
        }),
      );
      const reader = store.connect();
      const stop = new AbortController();
      const received: StoredEvent[] = [];
      for await (const { events } of reader.subscribe({ after: before, batchSize: 7, signal: stop.signal })) {
        received.push(...events);
        if (received.length >= 185) stop.abort();
      }
      await writing;
      expect(received.map(({ position }) => position)).toEqual(
        (await readOn(store.log, before)).map(({ position }) => position),
      );
    });

    test('of some types moves past the others', async () => {
      const type = `Wanted${freshStream()}`;
      const before = await store.log.head();
      await appendMany(store.log, 20);
      await appendMany(store.log, 3, type);
      await appendMany(store.log, 20);
      const batches = await collect(store.log, before, async () => await store.log.head(), 2, [type]);
      expect(batches.flatMap(({ events }) => events).map((event) => event.type)).toEqual([type, type, type]);
      expect(batches.at(-1)!.scannedTo).toBe(await store.log.head());
    });

    test('receives an append soon after it is stored', async () => {
      const stop = new AbortController();
      const subscription = store.log.subscribe({ after: await store.log.head(), batchSize: 10, signal: stop.signal });
      const batches = subscription[Symbol.asyncIterator]();
      const next = batches.next();
      const stream = freshStream();
      await store.connect().append({ stream, expectedRevision: NO_STREAM, events: newEvents(1) });
      const batch = (await next).value as LogBatch;
      expect(batch.events.map((event) => event.stream)).toEqual([stream]);
      stop.abort();
      expect((await batches.next()).done).toBe(true);
    });

    test('ends when aborted while it waits, and at once when it was aborted before', async () => {
      const stop = new AbortController();
      const head = await store.log.head();
      const batches = store.log.subscribe({ after: head, batchSize: 10, signal: stop.signal })[Symbol.asyncIterator]();
      const waiting = batches.next();
      stop.abort();
      expect((await waiting).done).toBe(true);
      const late = store.log.subscribe({ after: head, batchSize: 10, signal: stop.signal })[Symbol.asyncIterator]();
      expect((await late.next()).done).toBe(true);
    });

    test('waits for a slow consumer without losing or repeating an event', async () => {
      const before = await store.log.head();
      await appendMany(store.log, 30);
      const stop = new AbortController();
      const received: StoredEvent[] = [];
      for await (const { events } of store.log.subscribe({ after: before, batchSize: 4, signal: stop.signal })) {
        received.push(...events);
        if (received.length < 50) await appendMany(store.log, 1);
        else if (received.at(-1)!.position === (await store.log.head())) stop.abort();
      }
      expect(received.map(({ position }) => position)).toEqual(
        (await readOn(store.log, before)).map(({ position }) => position),
      );
    });
  });
}
