import { describe, expect, test } from 'vitest';
import {
  type EventLog,
  LOG_START,
  type LogBatch,
  LogUnavailable,
  type Position,
  type StoredEvent,
} from '../../domain/ports/event-log.ts';
import { logBatches, logEvents, streamEvents, streamPages } from '../../domain/read-log.ts';
import { type FollowedReads, subscribeTo } from '../../infra/system/log-subscription.ts';

const positionOf = (place: number): Position => String(place).padStart(6, '0') as Position;
const eventAt = (place: number): StoredEvent => ({
  position: positionOf(place),
  stream: 'topics-1',
  revision: place - 1,
  id: String(place),
  type: place % 2 === 0 ? 'Even' : 'Odd',
  schemaVersion: 1,
  data: '{}',
  metadata: '{}',
  time: 0,
});

const EVENTS = Array.from({ length: 1_200 }, (_, index) => eventAt(index + 1));

const log = (events: readonly StoredEvent[] = EVENTS): Pick<EventLog, 'readStream' | 'readAll'> => ({
  readStream: async (_stream, after, limit) => events.filter(({ revision }) => revision > after).slice(0, limit),
  readAll: async ({ after, limit, types }): Promise<LogBatch> => {
    const matching = events.filter(
      ({ position, type }) => position > after && (types === undefined || types.includes(type)),
    );
    const page = matching.slice(0, limit);
    return {
      events: page,
      scannedTo: page.length === limit ? page.at(-1)!.position : (events.at(-1)?.position ?? after),
    };
  },
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
const ids = async (events: AsyncIterable<StoredEvent>): Promise<readonly string[]> =>
  (await collect(events)).map(({ id }) => id);
const ALL = EVENTS.map(({ id }) => id);

describe('reading a stream', () => {
  test.each([0, 1, 499, 500, 501, 1_000, 1_200])('a stream of %i events is read whole', async (count) => {
    expect(await ids(streamEvents(log(EVENTS.slice(0, count)), 'topics-1'))).toEqual(ALL.slice(0, count));
  });

  test('reading begins after the requested revision', async () => {
    expect(await ids(streamEvents(log(), 'topics-1', 1_189))).toEqual(ALL.slice(1_190));
  });

  test('no page is empty', async () => {
    const pages = await collect(streamPages(log(EVENTS.slice(0, 1_000)), 'topics-1'));
    expect(pages.map(({ length }) => length)).toEqual([500, 500]);
  });
});

describe('reading the log', () => {
  test.each([1, 7, 1_200, 5_000])('batches of %i events contain every event once and in order', async (batchSize) => {
    expect(await ids(logEvents(log(), LOG_START, { batchSize }))).toEqual(ALL);
  });

  test('a filter leaves out other types, and the last batch reaches the end of the log', async () => {
    const batches = await collect(logBatches(log(), LOG_START, { batchSize: 100, types: ['Odd'] }));
    expect(batches.flatMap(({ events }) => events).map(({ type }) => type)).toEqual(
      Array.from({ length: 600 }, () => 'Odd'),
    );
    expect(batches.at(-1)!.scannedTo).toBe(positionOf(1_200));
  });

  test('the next two batches are read while the caller works on one, and no more', async () => {
    let reads = 0;
    const counted = {
      readAll: (read: Parameters<EventLog['readAll']>[0]) => {
        reads += 1;
        return log().readAll(read);
      },
    };
    const askedBefore: number[] = [];
    for await (const { scannedTo } of logBatches(counted, LOG_START, { batchSize: 200 })) {
      await new Promise((resolve) => setImmediate(resolve));
      askedBefore.push(reads);
      if (scannedTo === positionOf(800)) break;
    }
    expect(askedBefore).toEqual([3, 4, 5, 6]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reads).toBe(6);
  });

  test('no read begins after the caller has stopped', async () => {
    let reads = 0;
    const gates: (() => void)[] = [];
    const gated = {
      readAll: async (read: Parameters<EventLog['readAll']>[0]) => {
        reads += 1;
        if (reads > 1) await new Promise<void>((resolve) => gates.push(resolve));
        return log().readAll(read);
      },
    };
    for await (const _ of logBatches(gated, LOG_START, { batchSize: 100 })) break;
    for (const open of gates) open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reads).toBe(2);
  });

  test('each read after the first names the event at which the reader stands', async () => {
    const named: (string | undefined)[] = [];
    const naming = {
      readAll: async (read: Parameters<EventLog['readAll']>[0]) => {
        named.push(read.afterId);
        const batch = await log().readAll(read);
        return { ...batch, scannedId: String(Number(batch.scannedTo)) };
      },
    };
    await collect(logBatches(naming, LOG_START, { batchSize: 500 }));
    const following = subscribeTo(
      { read: naming.readAll, untilGrown: async () => undefined },
      { after: positionOf(1_000), batchSize: 100, signal: new AbortController().signal },
    );
    await following.next();
    await following.next();
    expect(named).toEqual([undefined, '500', '1000', '1200', undefined, '1100', '1200']);
  });

  test('an aborted signal ends the reading with its reason', async () => {
    const stopping = new AbortController();
    const reading = logBatches(log(), LOG_START, { batchSize: 100, signal: stopping.signal });
    await reading.next();
    stopping.abort(new Error('stopped'));
    await expect(reading.next()).rejects.toThrow('stopped');
  });

  test('a caller that stops early leaves no rejected read behind', async () => {
    let reads = 0;
    const failing = {
      readAll: async (read: Parameters<EventLog['readAll']>[0]) => {
        if (++reads > 1) throw new LogUnavailable('gone');
        return await log().readAll(read);
      },
    };
    for await (const _ of logBatches(failing, LOG_START, { batchSize: 100 })) break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(reads).toBe(2);
  });
});

describe('following the log', () => {
  const readIds = async (reads: FollowedReads, count: number): Promise<readonly string[]> => {
    const stopping = new AbortController();
    const ids: string[] = [];
    for await (const { events } of subscribeTo(reads, { after: LOG_START, batchSize: 100, signal: stopping.signal })) {
      ids.push(...events.map(({ id }) => id));
      if (ids.length >= count) stopping.abort();
    }
    return ids;
  };

  test('an unreachable store is queried again, and no event is lost or repeated', async () => {
    let reads = 0;
    const read: FollowedReads['read'] = async (question) => {
      if (++reads % 3 === 0) throw new LogUnavailable('gone');
      return await log().readAll(question);
    };
    expect(await readIds({ read, untilGrown: async () => undefined }, ALL.length)).toEqual(ALL);
  });

  test('any other failure of a read ends the subscription', async () => {
    const read = async (): Promise<LogBatch> => {
      throw new Error('the log is damaged');
    };
    await expect(readIds({ read, untilGrown: async () => undefined }, 1)).rejects.toThrow('the log is damaged');
  });

  test('at the head it waits until the log has grown', async () => {
    const events = EVENTS.slice(0, 3);
    const waits: number[] = [];
    const untilGrown = async (): Promise<void> => {
      waits.push(events.length);
      events.push(EVENTS[3]!);
    };
    expect(await readIds({ read: async (question) => await log(events).readAll(question), untilGrown }, 4)).toEqual([
      '1',
      '2',
      '3',
      '4',
    ]);
    expect(waits).toEqual([3]);
  });
});
