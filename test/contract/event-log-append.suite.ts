import { describe, expect, test } from 'vitest';
import { NO_STREAM } from '../../domain/ports/event-log.ts';
import {
  appended,
  freshStream,
  newEvent,
  newEvents,
  type OpenStore,
  readOn,
  useStore,
} from '../support/event-log-builders.ts';

export function appendContract(openStore: OpenStore): void {
  describe('append', () => {
    const store = useStore(openStore);

    test('gives the first event of a stream revision 0, and each further one the next', async () => {
      const stream = freshStream();
      expect(await store.log.append({ stream, expectedRevision: NO_STREAM, events: newEvents(1) })).toMatchObject({
        kind: 'appended',
        revision: 0,
      });
      expect(await store.log.append({ stream, expectedRevision: 0, events: newEvents(3) })).toMatchObject({
        kind: 'appended',
        revision: 3,
      });
      expect((await store.log.readStream(stream, NO_STREAM, 10)).map(({ revision }) => revision)).toEqual([0, 1, 2, 3]);
    });

    test('answers the position of its last event, and positions grow', async () => {
      const stream = freshStream();
      const first = appended(await store.log.append({ stream, expectedRevision: NO_STREAM, events: newEvents(2) }));
      const second = appended(await store.log.append({ stream, expectedRevision: 1, events: newEvents(1) }));
      expect(second.position > first.position).toBe(true);
      const stored = await store.log.readStream(stream, NO_STREAM, 10);
      expect(stored[1]!.position).toBe(first.position);
      expect(stored[2]!.position).toBe(second.position);
    });

    test.each([
      ['no stream, and there is one', 3, NO_STREAM, 2],
      ['an older revision', 3, 1, 2],
      ['a newer revision', 3, 7, 2],
      ['a revision of a stream that does not exist', 0, 0, NO_STREAM],
    ])(
      'that expects %s is a conflict with the actual revision, and stores nothing',
      async (_what, existing, expectedRevision, actualRevision) => {
        const stream = freshStream();
        if (existing > 0) await store.log.append({ stream, expectedRevision: NO_STREAM, events: newEvents(existing) });
        expect(await store.log.append({ stream, expectedRevision, events: newEvents(2) })).toEqual({
          kind: 'conflict',
          actualRevision,
        });
        expect(await store.log.readStream(stream, NO_STREAM, 10)).toHaveLength(existing);
      },
    );

    test('keeps every byte: spaces, key order, escapes, scripts, numbers beyond a double, and megabytes', async () => {
      const texts = [
        '{ "b" : 1,\t"a":\n[ ] , "a" : 2 }',
        '{"n":123456789012345678901234567890.10,"e":1E+400,"z":-0.0}',
        String.raw`{"escaped":"\u00e9\u0000\/\ud83d\ude00\"\\","raw":"é😀ﷺ"}`,
        `{"sql":"'; drop table events; --","braces":"{a,b}","dollar":"$1"}`,
        JSON.stringify({ long: 'wörd '.repeat(200_000) }),
        'null',
      ];
      const stream = freshStream();
      await store.log.append({ stream, expectedRevision: NO_STREAM, events: texts.map((data) => newEvent({ data })) });
      const other = freshStream();
      for (const [index, data] of texts.entries())
        await store.log.append({ stream: other, expectedRevision: index - 1, events: [newEvent({ data })] });
      for (const each of [stream, other])
        expect((await store.log.readStream(each, NO_STREAM, 10)).map(({ data }) => data)).toEqual(texts);
    });

    test('keeps id, type, schema version, metadata and time', async () => {
      const stream = freshStream('public_bodies');
      const metadata = { commandId: 'c-1', accountId: 'a "quoted"', keyId: 'k', requestId: 'r', causedBy: 'e' };
      const event = newEvent({ type: 'Ümlaut', schemaVersion: 7, metadata, time: 1_234_567_890_123 });
      await store.log.append({ stream, expectedRevision: NO_STREAM, events: [event] });
      const [stored] = await store.log.readStream(stream, NO_STREAM, 1);
      expect(stored).toMatchObject({
        stream,
        revision: 0,
        id: event.id,
        type: 'Ümlaut',
        schemaVersion: 7,
        data: event.data,
        time: event.time,
      });
      expect(JSON.parse(stored!.metadata)).toEqual(metadata);
    });

    test('by many concurrent callers stores each event exactly once, at its own position', async () => {
      const before = await store.log.head();
      const streams = Array.from({ length: 300 }, () => freshStream());
      const outcomes = await Promise.all(
        streams.map(
          async (stream, n) =>
            await store.log.append({ stream, expectedRevision: NO_STREAM, events: newEvents(1 + (n % 3)) }),
        ),
      );
      const positions = outcomes.map((outcome) => appended(outcome).position);
      expect(new Set(positions).size).toBe(300);
      const read = (await readOn(store.log, before)).filter(({ stream }) => streams.includes(stream));
      expect(read).toHaveLength(600);
      for (const [n, stream] of streams.entries())
        expect(read.findLast((event) => event.stream === stream)!.position).toBe(positions[n]);
    });

    test('by many callers to one stream succeeds once and is a conflict for the others', async () => {
      const stream = freshStream();
      const logs = [store.log, store.connect(), store.connect()];
      for (let round = 0; round < 5; round += 1) {
        const outcomes = await Promise.all(
          Array.from(
            { length: 30 },
            async (_, n) => await logs[n % 3]!.append({ stream, expectedRevision: round - 1, events: newEvents(1) }),
          ),
        );
        expect(outcomes.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
        for (const each of outcomes) if (each.kind === 'conflict') expect(each.actualRevision).toBe(round);
      }
      expect(await store.log.readStream(stream, NO_STREAM, 100)).toHaveLength(5);
    });

    test('by one caller that does not wait keeps the order of the calls', async () => {
      const stream = freshStream();
      const outcomes = await Promise.all(
        Array.from(
          { length: 50 },
          async (_, n) => await store.log.append({ stream, expectedRevision: n - 1, events: newEvents(1) }),
        ),
      );
      expect(outcomes.map((outcome) => appended(outcome).revision)).toEqual(Array.from({ length: 50 }, (_, n) => n));
    });

    test('of data that is not JSON fails without affecting other appends', async () => {
      const streams = Array.from({ length: 20 }, () => freshStream());
      const results = await Promise.allSettled(
        streams.map(
          async (stream, n) =>
            await store.log.append({
              stream,
              expectedRevision: NO_STREAM,
              events: [newEvent(n === 7 ? { data: '{broken' } : {})],
            }),
        ),
      );
      expect(results.map(({ status }) => status)).toEqual(streams.map((_, n) => (n === 7 ? 'rejected' : 'fulfilled')));
      expect(await store.log.readStream(streams[7]!, NO_STREAM, 1)).toEqual([]);
    });

    test('without an event is refused', async () => {
      await expect(
        store.log.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: [] }),
      ).rejects.toThrow(TypeError);
    });
  });

  describe('appendEach', () => {
    const store = useStore(openStore);

    test('answers in the order of the appends; each is atomic, and a conflict does not affect the others', async () => {
      const [existing, stale, fresh, absent] = [freshStream(), freshStream(), freshStream(), freshStream()];
      for (const stream of [existing, stale])
        await store.log.append({ stream, expectedRevision: NO_STREAM, events: newEvents(2) });
      const outcomes = await store.log.appendEach([
        { stream: stale, expectedRevision: 0, events: newEvents(3) },
        { stream: fresh, expectedRevision: NO_STREAM, events: newEvents(2) },
        { stream: absent, expectedRevision: 4, events: newEvents(1) },
        { stream: existing, expectedRevision: 1, events: newEvents(1) },
      ]);
      expect(outcomes).toMatchObject([
        { kind: 'conflict', actualRevision: 1 },
        { kind: 'appended', revision: 1 },
        { kind: 'conflict', actualRevision: NO_STREAM },
        { kind: 'appended', revision: 2 },
      ]);
      expect(appended(outcomes[1]!).position < appended(outcomes[3]!).position).toBe(true);
      const lengths = [existing, stale, fresh, absent].map(
        async (stream) => (await store.log.readStream(stream, NO_STREAM, 9)).length,
      );
      expect(await Promise.all(lengths)).toEqual([3, 2, 2, 0]);
    });

    test('of new streams alone stores each, and one that exists after all is a conflict that affects no other', async () => {
      const [existing, first, last] = [freshStream(), freshStream(), freshStream()];
      await store.log.append({ stream: existing, expectedRevision: NO_STREAM, events: newEvents(2) });
      const before = await store.log.head();
      const begin = (stream: string, count: number) => ({
        stream,
        expectedRevision: NO_STREAM,
        events: newEvents(count),
      });
      const outcomes = await store.log.appendEach([begin(first, 2), begin(existing, 3), begin(last, 1)]);
      expect(outcomes).toMatchObject([
        { kind: 'appended', revision: 1 },
        { kind: 'conflict', actualRevision: 1 },
        { kind: 'appended', revision: 0 },
      ]);
      const { events } = await store.log.readAll({ after: before, limit: 9 });
      const stored = events.map(({ stream, revision }) => [stream, revision]);
      expect(stored).toEqual([first, first, last].map((stream, index) => [stream, index % 2]));
      const others = Array.from({ length: 50 }, () => freshStream());
      const appends = others.map((stream) => begin(stream, 2));
      const after = await store.log.head();
      expect((await store.log.appendEach(appends)).map(({ kind }) => kind)).toEqual(others.map(() => 'appended'));
      // PostgreSQL also checks in a read of all events that no position is missing.
      const all = (await store.log.readAll({ after, limit: 200 })).events.map(
        ({ stream, revision }) => `${stream} ${revision}`,
      );
      expect(all.toSorted()).toEqual(others.flatMap((stream) => [`${stream} 0`, `${stream} 1`]).toSorted());
      const among = [...others.slice(0, 10), freshStream(), freshStream()];
      const kinds = (
        await store.log.appendEach([...among, ...others.slice(10, 40)].map((stream) => begin(stream, 1)))
      ).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'appended')).toHaveLength(2);
    });

    test('appends a batch larger than any group of single appends, in order', async () => {
      const before = await store.log.head();
      const appends = Array.from({ length: 1_500 }, (_, n) => ({
        stream: freshStream(),
        expectedRevision: NO_STREAM,
        events: [newEvent({ data: `{"n":${n}}` })],
      }));
      const outcomes = await store.log.appendEach(appends);
      const own = new Set(appends.map(({ stream }) => stream));
      const read = (await readOn(store.log, before, 500)).filter(({ stream }) => own.has(stream));
      expect(read.map(({ data }) => data)).toEqual(appends.map(({ events }) => events[0]!.data));
      expect(read.map(({ position }) => position)).toEqual(outcomes.map((outcome) => appended(outcome).position));
    });

    test('of nothing answers nothing, and a repeated stream is refused', async () => {
      expect(await store.log.appendEach([])).toEqual([]);
      const append = { stream: freshStream(), expectedRevision: NO_STREAM, events: newEvents(1) };
      await expect(store.log.appendEach([append, append])).rejects.toThrow(TypeError);
    });
  });
}
