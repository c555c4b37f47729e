import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eraseContent } from '../../commands/erasure/erase-content.ts';
import { openKurrentLog } from '../../infra/kurrentdb/event-log.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { withErasures } from '../../src/app/composition/erased-log.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import { type ErasingLog, type EventLog, LOG_START, NO_STREAM } from '../../domain/ports/event-log.ts';
import { streamEvents } from '../../domain/read-log.ts';
import { createRecordWriter } from '../../commands/records/write-records.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { recordId } from '../support/civic-records.ts';
import { startKurrentPeer } from '../support/kurrent-peer.ts';
import { dumpTables } from '../support/projection-spec.ts';

const NAME = 'Zebulona';
const upsert = (number: number, title: string) => ({
  op: 'upsert' as const,
  resource: 'documents' as const,
  id: recordId('documents', number),
  content: { kind: 'other', title, url: 'https://example.org/d' },
});
const remove = (number: number) => ({
  op: 'remove' as const,
  resource: 'documents' as const,
  id: recordId('documents', number),
});
const streamOf = (number: number) => `documents-${recordId('documents', number)}`;
const eraseFrom = (log: EventLog & ErasingLog, ...numbers: number[]) =>
  eraseContent(
    { log, clock: systemClock, identifiers: randomIdentifiers, deadlineMs: 60_000 },
    {
      streams: numbers.map((number) => ({ stream: streamOf(number) })),
      erasing: { path: null, literal: NAME, replacement: 'x' },
      reason: 'personal_data',
      by: 'a test',
      dryRun: false,
    },
  );
const titles = async (log: EventLog, number: number): Promise<string[]> =>
  (await log.readStream(streamOf(number), NO_STREAM, 5_000)).map(
    ({ data }) => (JSON.parse(data) as { title?: string }).title ?? 'removed',
  );

describe('on PostgreSQL', () => {
  let civic: TestCivic;
  beforeAll(async () => {
    civic = await openFreshCivic();
  });
  afterAll(() => civic?.close());
  const dump = async () => dumpTables(civic.dependencies(), recordHistory, await civic.live(recordHistory.name));

  test('an erasure removes a text of a thousand versions from log and feed while writers continue', async () => {
    const { log, writer } = civic;
    await writer.write(
      Array.from({ length: 1000 }, (_, n) => upsert(1, `${NAME} ${n}`)),
      {},
    );
    await writer.write([upsert(2, `of ${NAME}`), remove(2)], {});
    const projector = civic.startProjector([recordHistory]);
    await civic.caughtUp(undefined, [recordHistory.name]);
    // Simulates a process that died after the erasure: the erasure is folded only after a start.
    await projector.stop();
    const position = await civic.atHead();
    const erasing = new AbortController();
    const others = (async () => {
      for (let n = 0; !erasing.signal.aborted && n < 40; n += 1)
        await writer.write([upsert(1, n < 20 ? `${NAME} again ${n}` : `clean ${n}`)], {});
    })();
    const erased = await eraseFrom(log, 1, 2);
    erasing.abort();
    await others;
    const rest = await eraseFrom(log, 1, 2);
    expect(erased.places.length + rest.places.length).toBeGreaterThanOrEqual(1001);
    expect(erased.erasures.length).toBeGreaterThan(1);
    expect((await titles(log, 1)).join(' ')).not.toContain(NAME);
    expect((await titles(log, 1)).slice(0, 3)).toEqual(['x 0', 'x 1', 'x 2']);
    expect(await titles(log, 2)).toEqual(['of x', 'removed']);
    // A second erasure changes nothing.
    const length = (await titles(log, 1)).length;
    expect(await eraseFrom(log, 1, 2)).toMatchObject({ places: [], erasures: [], changes: 0 });
    expect((await titles(log, 1)).length).toBe(length);

    civic.startProjector([recordHistory]);
    await civic.caughtUp(undefined, [recordHistory.name]);
    expect(civic.logger.errors).toEqual([]);
    const live = await dump();
    expect(live.join('\n')).not.toContain(NAME);
    expect((await civic.atHead()).position).toBe(length + 2);
    expect(position.position).toBe(1002);
    const { generation } = await civic.generations.create(recordHistory, 'building', Date.now());
    for (let serves = 0; serves !== generation; serves = await civic.live(recordHistory.name))
      await systemClock.sleep(20);
    expect(await dump()).toEqual(live);
  });

  test('a rebuild that reads the erased text before the live one reads the erasure is not refused', async () => {
    const { log, writer } = civic;
    await writer.write([upsert(3, `a ${NAME}`), upsert(3, `b ${NAME}`), upsert(3, 'c')], {});
    await civic.caughtUp(undefined, [recordHistory.name]);
    const before = await civic.live(recordHistory.name);
    const { generation } = await civic.generations.create(recordHistory, 'building', Date.now());
    await eraseFrom(log, 3);
    for (let serves = before; serves !== generation; serves = await civic.live(recordHistory.name)) {
      expect((await civic.generations.list()).find((row) => row.generation === generation)?.state).not.toBe('refused');
      await systemClock.sleep(10);
    }
    await civic.caughtUp(undefined, [recordHistory.name]);
    expect((await dump()).join('\n')).not.toContain(NAME);
  });
});

test('on KurrentDB another process reads nothing of the text after its erasure has returned', async () => {
  const peer = await startKurrentPeer();
  const open = () =>
    withErasures(openKurrentLog({ url: peer.url, deadlineMs: 20_000 }), { rewrites: false }, systemClock);
  const [eraser, other] = [open(), open()];
  const stopping = new AbortController();
  try {
    const writer = createRecordWriter({
      log: eraser,
      clock: systemClock,
      identifiers: randomIdentifiers,
      deadlineMs: 20_000,
    });
    // It follows the log, so its memory contains the newest events.
    const following = (async () => {
      for await (const _ of other.subscribe({ after: LOG_START, batchSize: 10, signal: stopping.signal })) void _;
    })();
    for (let number = 100; number < 115; number += 1) {
      await writer.write([upsert(number, `${NAME} one`), upsert(number, `two ${NAME}`), remove(number)], {});
      expect(await titles(other, number)).toEqual([`${NAME} one`, `two ${NAME}`, 'removed']);
      await eraseFrom(eraser, number);
      const batches = other.subscribe({ after: LOG_START, batchSize: 1000, signal: stopping.signal });
      const follower = batches[Symbol.asyncIterator]();
      const [stream, all, first] = await Promise.all([
        titles(other, number),
        other.readAll({ after: LOG_START, limit: 10_000 }),
        follower.next(),
      ]);
      await follower.return?.();
      expect(stream).toEqual(['x one', 'two x', 'removed']);
      expect(JSON.stringify(all)).not.toContain(NAME);
      expect(JSON.stringify(first)).not.toContain(NAME);
    }
    // The store itself keeps all events.
    expect(peer.store.records.some(({ data }) => Buffer.from(data).includes(NAME))).toBe(true);
    stopping.abort();
    await following;
  } finally {
    stopping.abort();
    await Promise.all([eraser.close(), other.close()]);
    await peer.stop();
  }
});

test('on KurrentDB a stream whose large texts were erased is read whole', async () => {
  const peer = await startKurrentPeer();
  const log = withErasures(openKurrentLog({ url: peer.url, deadlineMs: 60_000 }), { rewrites: false }, systemClock);
  try {
    const writer = createRecordWriter({ log, clock: systemClock, identifiers: randomIdentifiers, deadlineMs: 60_000 });
    const versions = Array.from({ length: 20 }, (_, number) => `version ${number}`);
    for (const version of versions) {
      const change = upsert(200, version);
      await writer.write(
        [{ ...change, content: { ...change.content, url: `https://example.org/${'a'.repeat(900_000)}` } }],
        {},
      );
    }
    await eraseContent(
      { log, clock: systemClock, identifiers: randomIdentifiers, deadlineMs: 60_000 },
      {
        streams: [{ stream: streamOf(200) }],
        erasing: { path: ['url'], literal: null, replacement: 'https://example.org/x' },
        reason: 'personal_data',
        by: 'a test',
        dryRun: false,
      },
    );
    const read = [];
    for await (const { data } of streamEvents(log, streamOf(200)))
      read.push(JSON.parse(data) as { title: string; url: string });
    // The erasure publishes the current version again.
    expect(read.map(({ title }) => title)).toEqual([...versions, versions.at(-1)]);
    expect(read.every(({ url }) => url === 'https://example.org/x')).toBe(true);
  } finally {
    await log.close();
    await peer.stop();
  }
});
