import { derivedId } from '../../domain/identifiers.ts';
import {
  HistorySetBack,
  LOG_START,
  type LogBatch,
  type Position,
  type ReadAll,
  type StoredEvent,
} from '../../domain/ports/event-log.ts';
import { ByteLimit, bytesOf } from '../../domain/read-log.ts';
import { type RecordedEvent, toEvent, typeOf } from './event-form.ts';
import { type Reading, readAnswers } from './read-answers.ts';
import { isConnectionLoss, isNoPlace, isNotLeader, mapError } from './wire-errors.ts';
import type { Wire } from './wire.ts';

const ATTEMPTS = 3;
/** Concurrent reads of the last events of streams, over one connection. */
const STREAMS_AT_ONCE = 64;
/** Deadline of a filtered read, which might scan the whole log before it answers. */
const SCAN_MS = 600_000;

/** Defines what `readValues` returns of the events of a reading. */
interface Selection<Value> {
  readonly pick: (recorded: RecordedEvent) => Value | null;
  /** Maximum number of values. Defaults to the count of the reading. */
  readonly limit?: number;
  readonly withinMs: number;
  /** Returns the text that counts against `ByteLimit`. */
  readonly dataOf?: (value: Value) => string;
}

async function readOnce<Value>(wire: Wire, reading: Reading<number>, selection: Selection<Value>): Promise<Value[]> {
  const { pick, limit = reading.count, withinMs, dataOf } = selection;
  const values: Value[] = [];
  const bytes = new ByteLimit();
  await readAnswers(wire, { reading, deadlineMs: withinMs }, (answer) => {
    const recorded = answer.getEvent()?.getEvent();
    const value = recorded === undefined ? null : pick(recorded);
    if (value !== null) {
      values.push(value);
      if (dataOf !== undefined) bytes.add(dataOf(value));
    }
    if (bytes.isReached) return 'too much';
    return answer.hasStreamNotFound() || values.length === limit ? 'enough' : 'more';
  });
  return values;
}

/**
 * Returns the values that `pick` returns. A missing stream has none. Retries after a change of the leader or a lost
 * connection. Throws `LogUnavailable` and `DeadlineExceeded`.
 */
async function readValues<Value>(wire: Wire, reading: Reading<number>, selection: Selection<Value>): Promise<Value[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readOnce(wire, reading, selection);
    } catch (error) {
      const isTransient = isNotLeader(error) || isConnectionLoss(error);
      if (!isTransient || attempt === ATTEMPTS || wire.closed) throw mapError(error);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** Wraps the error of a read that begins at an event which the log does not have. */
const throwSetBack =
  ({ after, afterId }: ReadAll) =>
  (error: unknown): never => {
    throw afterId !== undefined && isNoPlace(error) ? new HistorySetBack(after, afterId) : error;
  };

export function logReads(wire: Wire, deadlineMs: number) {
  const scanMs = Math.max(SCAN_MS, deadlineMs);
  const readEvents = (reading: Reading<number>): Promise<StoredEvent[]> =>
    readValues(wire, reading, { pick: toEvent, withinMs: deadlineMs });
  const readNewest = async (): Promise<StoredEvent | undefined> => (await readEvents({ from: 'end', count: 1 }))[0];
  /** Returns the id of the event at this position, or undefined if there is none. */
  async function idAt(position: Position): Promise<string | undefined> {
    try {
      const [event] = await readEvents({ from: position, count: 1 });
      return event?.position === position ? event.id : undefined;
    } catch (error) {
      if (isNoPlace(error)) return undefined;
      throw error;
    }
  }

  async function readUnfiltered(read: ReadAll): Promise<LogBatch> {
    const { after, afterId, limit } = read;
    const collected = await readValues(
      wire,
      { from: after, count: limit + 1 },
      {
        pick: toEvent,
        withinMs: scanMs,
        // The answer includes the event at `after` itself, which does not count.
        dataOf: ({ position, data }) => (position > after ? data : ''),
      },
    ).catch(throwSetBack(read));
    const before = collected[0]?.position === after ? collected.shift()!.id : undefined;
    if (afterId !== undefined && before !== afterId) throw new HistorySetBack(after, afterId);
    const events = collected.slice(0, limit);
    const last = events.at(-1);
    return {
      events,
      scannedTo: last?.position ?? after,
      scannedId: last?.id ?? before,
      isCut: bytesOf(events).isReached,
    };
  }

  /**
   * Reads the events of some types. The server does not report how far it has scanned, so a page that is not full
   * counts as scanned up to the newest event, which is read first.
   */
  async function readFiltered(read: ReadAll, types: readonly string[]): Promise<LogBatch> {
    const { after, afterId } = read;
    const batch = await scan(read, types);
    // Check after the reads and their retries: if the event is there now, it was there during the reads.
    if (afterId !== undefined && (await idAt(after)) !== afterId) throw new HistorySetBack(after, afterId);
    return batch;
  }

  async function scan(read: ReadAll, types: readonly string[]): Promise<LogBatch> {
    const { after, afterId, limit } = read;
    const head = await readNewest();
    const atHead = { events: [], scannedTo: head?.position ?? after, scannedId: head?.id };
    if (head === undefined || head.position < after) return { events: [], scannedTo: after, scannedId: afterId };
    if (head.position === after || types.length === 0) return atHead;
    const requestedTypes = new Set(types);
    const pick = (recorded: RecordedEvent): StoredEvent | null => {
      const event = toEvent(recorded);
      return event.position > after && requestedTypes.has(event.type) ? event : null;
    };
    const events = await readValues(
      wire,
      { from: after, count: limit + 1, types },
      { pick, limit, withinMs: scanMs, dataOf: ({ data }) => data },
    ).catch(throwSetBack(read));
    const last = events.at(-1);
    const isCut = bytesOf(events).isReached;
    if (last === undefined || (events.length < limit && !isCut && last.position < head.position))
      return { ...atHead, events };
    return { events, scannedTo: last.position, scannedId: last.id, isCut };
  }

  async function readLast(streams: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>> {
    const waiting = [...new Set(streams)];
    const last = new Map<string, StoredEvent>();
    const readNext = async (): Promise<void> => {
      for (let stream = waiting.pop(); stream !== undefined; stream = waiting.pop()) {
        const [event] = await readEvents({ stream, from: 'end', count: 1 });
        if (event !== undefined) last.set(stream, event);
      }
    };
    await Promise.all(Array.from({ length: Math.min(STREAMS_AT_ONCE, waiting.length) }, readNext));
    return last;
  }

  /** Derives an id from the first event, its position and its time of writing here, so that a copy has another one. */
  async function deriveIdentity(): Promise<string | null> {
    const pick = (recorded: RecordedEvent): string => {
      const { id, position } = toEvent(recorded);
      return derivedId('log', id, position, recorded.getMetadataMap().get('created') ?? '', typeOf(recorded));
    };
    const [first] = await readValues(wire, { from: LOG_START, count: 1 }, { pick, withinMs: deadlineMs });
    return first ?? null;
  }

  let identity: string | null = null;
  return {
    head: async (): Promise<Position> => (await readNewest())?.position ?? LOG_START,
    readAll: async (read: ReadAll): Promise<LogBatch> => {
      if (read.limit === 0) return { events: [], scannedTo: read.after, scannedId: read.afterId };
      return read.types === undefined ? await readUnfiltered(read) : await readFiltered(read, read.types);
    },
    readStream: async (stream: string, afterRevision: number, limit: number): Promise<readonly StoredEvent[]> =>
      limit === 0
        ? []
        : await readValues(
            wire,
            { stream, from: afterRevision + 1, count: limit },
            { pick: toEvent, withinMs: deadlineMs, dataOf: ({ data }) => data },
          ),
    readLast,
    identity: async (): Promise<string | null> => (identity ??= await deriveIdentity()),
  };
}
