import { describe, expect, test } from 'vitest';
import { LOG_START, type LogBatch, MAX_BATCH_BYTES, NO_STREAM } from '../../domain/ports/event-log.ts';
import { streamEvents, streamPages } from '../../domain/read-log.ts';
import {
  appended,
  freshStream,
  newEvent,
  newEvents,
  type OpenStore,
  readOn,
  useStore,
} from '../support/event-log-builders.ts';

export function readContract(openStore: OpenStore): void {
  describe('reading', () => {
    const store = useStore(openStore);

    test('a stream starts after the requested revision and stops at the limit', async () => {
      const stream = freshStream();
      await store.log.append({ stream, expectedRevision: NO_STREAM, events: newEvents(10) });
      const revisions = async (after: number, limit: number) =>
        (await store.log.readStream(stream, after, limit)).map(({ revision }) => revision);
      expect(await revisions(3, 4)).toEqual([4, 5, 6, 7]);
      expect(await revisions(7, 4)).toEqual([8, 9]);
      expect(await revisions(9, 4)).toEqual([]);
      expect(await store.log.readStream(freshStream(), NO_STREAM, 4)).toEqual([]);
    });

    test('the last events of many streams leaves out those that do not exist', async () => {
      const streams = Array.from({ length: 40 }, () => freshStream());
      const existing = streams.filter((_, n) => n % 4 !== 0);
      await store.log.appendEach(
        existing.map((stream, n) => ({
          stream,
          expectedRevision: NO_STREAM,
          events: newEvents(1 + (n % 3), { type: `T${n % 3}` }),
        })),
      );
      const last = await store.log.readLast([...streams, streams[1]!]);
      expect([...last.keys()].toSorted()).toEqual(existing.toSorted());
      for (const [n, stream] of existing.entries())
        expect(last.get(stream)).toMatchObject({ stream, revision: n % 3, type: `T${n % 3}` });
      expect(await store.log.readLast([])).toEqual(new Map());
    });

    test('a stream does not contain events of a stream whose name begins with its name', async () => {
      const stream = freshStream();
      await store.log.append({ stream: `${stream}0`, expectedRevision: NO_STREAM, events: newEvents(1) });
      expect(await store.log.readStream(stream, NO_STREAM, 4)).toEqual([]);
      expect(await store.log.readLast([stream])).toEqual(new Map());
    });

    test('the whole log is the same in pages of every size, and the same when read again', async () => {
      const before = await store.log.head();
      for (let n = 0; n < 20; n += 1)
        await store.log.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: newEvents(1 + (n % 4)) });
      const whole = await readOn(store.log, before, 1_000);
      expect(whole).toHaveLength(50);
      expect(whole.map(({ position }) => position)).toEqual(whole.map(({ position }) => position).toSorted());
      for (const limit of [1, 2, 7, 49, 50, 51]) expect(await readOn(store.log, before, limit)).toEqual(whole);
    });

    test('the log from a position leaves out that position and everything before it', async () => {
      const before = await store.log.head();
      await store.log.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: newEvents(6) });
      const whole = await readOn(store.log, before);
      for (const [n, { position }] of whole.entries())
        expect(await readOn(store.log, position)).toEqual(whole.slice(n + 1));
    });

    test('the log from the start begins with the oldest event, and the empty page at the head does not move', async () => {
      await store.log.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: newEvents(1) });
      const first = await store.log.readAll({ after: LOG_START, limit: 1 });
      expect(first.events).toHaveLength(1);
      expect(first.events[0]!.position > LOG_START).toBe(true);
      const head = await store.log.head();
      expect(await store.log.readAll({ after: head, limit: 10 })).toMatchObject({ events: [], scannedTo: head });
    });

    test('a read names the last event that it scanned, and the next read is refused if that event differs', async () => {
      const type = `Wanted${freshStream()}`;
      const stream = freshStream();
      await store.log.append({
        stream,
        expectedRevision: NO_STREAM,
        events: newEvents(3).map((event) => ({ ...event, type })),
      });
      const ids = (await store.log.readStream(stream, NO_STREAM, 3)).map(({ id }) => id);
      const before = (await store.log.readStream(stream, NO_STREAM, 1))[0]!;
      for (const types of [undefined, [type], [`None${type}`]]) {
        const reading = types === undefined ? {} : { types };
        const { scannedTo, scannedId } = await store.log.readAll({ after: before.position, limit: 10, ...reading });
        // Not every store returns the last scanned event.
        if (scannedId === undefined) continue;
        expect(scannedId).toBe(ids[2]);
        const next = { after: scannedTo, limit: 10, ...reading };
        expect(await store.log.readAll({ ...next, afterId: scannedId })).toMatchObject({
          events: [],
          scannedTo,
          scannedId,
        });
        expect(await store.log.readAll(next)).toMatchObject({ events: [], scannedTo, scannedId });
        await expect(store.log.readAll({ ...next, afterId: ids[1] })).rejects.toMatchObject({
          name: 'HistorySetBack',
          held: scannedTo,
        });
        await expect(store.log.readAll({ ...next, after: before.position, afterId: ids[1] })).rejects.toMatchObject({
          name: 'HistorySetBack',
        });
      }
    });

    test('a read of some types skips the others and returns how far it scanned', async () => {
      const [readType, other] = [`Wanted${freshStream()}`, `Other${freshStream()}`];
      const before = await store.log.head();
      const kinds = Array.from({ length: 60 }, (_, n) => (n % 5 === 0 ? readType : other));
      for (const type of kinds)
        await store.log.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: [newEvent({ type })] });
      const head = await store.log.head();
      for (const limit of [1, 5, 12, 100]) {
        expect((await readOn(store.log, before, limit, [readType])).map(({ type }) => type)).toEqual(
          Array.from({ length: 12 }, () => readType),
        );
      }
      const limited = await store.log.readAll({ after: before, limit: 5, types: [readType] });
      expect(limited.scannedTo).toBe(limited.events[4]!.position);
      const none = await store.log.readAll({ after: before, limit: 5, types: [`None${freshStream()}`] });
      expect(none).toMatchObject({ events: [], scannedTo: head });
      // A store that returns the last scanned event returns the right one.
      const newest = (await readOn(store.log, before, 100, [readType, other])).at(-1)!;
      for (const { scannedId } of [none, limited])
        expect([undefined, (scannedId === limited.scannedId ? limited.events[4]! : newest).id]).toContain(scannedId);
      expect(await readOn(store.log, before, 7, [readType, other])).toHaveLength(60);
      expect(await store.log.readAll({ after: head, limit: 5, types: [readType] })).toMatchObject({
        events: [],
        scannedTo: head,
      });
    });

    test('a batch of large events ends with the one that reaches the limit of bytes, and the next one continues', async () => {
      const type = `Large${freshStream()}`;
      const before = await store.log.head();
      // PostgreSQL stores it compressed.
      const events = newEvents(10, { type, data: JSON.stringify('text '.repeat(200_000)) });
      for (const event of events)
        await store.log.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: [event] });
      const bytesOf = (batch: LogBatch) => batch.events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
      const end = await store.log.head();
      for (const types of [undefined, [type]]) {
        const batches: LogBatch[] = [];
        const stop = new AbortController();
        const reading = { after: before, signal: stop.signal, ...(types === undefined ? {} : { types }) };
        for await (const batch of store.connect().subscribe({ ...reading, batchSize: events.length + 1 })) {
          batches.push(batch);
          if (batch.scannedTo >= end) stop.abort();
        }
        expect(batches.flatMap((batch) => batch.events.map(({ id }) => id))).toEqual(events.map(({ id }) => id));
        for (const batch of batches)
          expect(bytesOf(batch) - Buffer.byteLength(batch.events.at(-1)!.data)).toBeLessThan(MAX_BATCH_BYTES);
        expect(batches).toHaveLength(2);
      }
    });

    test('a page of a stream of large events ends in the same way, and all its events are read', async () => {
      const stream = freshStream();
      const events = newEvents(10, { data: JSON.stringify('text '.repeat(200_000)) });
      for (const [nth, event] of events.entries())
        expect(await store.log.append({ stream, expectedRevision: nth - 1, events: [event] })).toMatchObject({
          kind: 'appended',
        });
      const pages: number[] = [];
      for await (const page of streamPages(store.log, stream)) pages.push(page.length);
      expect(pages).toEqual([9, 1]);
      const read = [];
      for await (const { id } of streamEvents(store.log, stream)) read.push(id);
      expect(read).toEqual(events.map(({ id }) => id));
    });

    test('the head is the position of the newest append, and the distance is a count of events or unknown', async () => {
      const from = await store.log.head();
      const { position } = appended(
        await store.log.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: newEvents(7) }),
      );
      expect(await store.log.head()).toBe(position);
      expect([7, null]).toContain(store.log.distance(from, position));
      expect([0, null]).toContain(store.log.distance(position, position));
    });
  });
}
