import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
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
import { filled, parsePosition, type RecordedEvent, streamIdentifier, toEvent, typeOf } from './event-form.ts';
import { isConnectionLoss, isNoPlace, isNotLeader, mapError } from './wire-errors.ts';
import type { Cancellable, Wire } from './wire.ts';

/** Events that the server scans in one step of a filtered read. */
const WINDOW = 1_000;
/** All events except the server's own. */
const NOT_SYSTEM = '^[^$]';
const ATTEMPTS = 3;
const { Options } = streams.ReadReq;
const EMPTY = new shared.Empty();

/** A read of a stream or of `$all`: forward from a revision or position (inclusive), or backward from the end. */
type Reading<Count> = { readonly count: Count } & (
  | { readonly stream: string; readonly from: number | 'end' }
  | { readonly from: Position | 'end'; readonly types?: readonly string[] | undefined }
);

const exactly = (types: readonly string[]): string =>
  `^(${types.map((type) => type.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;

function filterOf(types: readonly string[] | undefined): ReadReq.Options.FilterOptions {
  const eventType = filled(new Options.FilterOptions.Expression(), {
    regex: types === undefined ? NOT_SYSTEM : exactly(types),
  });
  return filled(new Options.FilterOptions(), { eventType, max: WINDOW, checkpointintervalmultiplier: 1 });
}

function allFrom(from: Position | 'end'): ReadReq.Options.AllOptions {
  const place = from === 'end' ? null : parsePosition(from);
  if (place === null) return filled(new Options.AllOptions(), from === 'end' ? { end: EMPTY } : { start: EMPTY });
  const position = filled(new Options.Position(), { commitPosition: place.commit, preparePosition: place.prepare });
  return filled(new Options.AllOptions(), { position });
}

function streamFrom(stream: string, from: number | 'end'): ReadReq.Options.StreamOptions {
  const begin = from === 'end' ? { end: EMPTY } : { revision: String(from) };
  return filled(new Options.StreamOptions(), { streamIdentifier: streamIdentifier(stream), ...begin });
}

function requestOf(reading: Reading<number | 'all that follow'>): ReadReq {
  const options = filled(new Options(), {
    uuidOption: filled(new Options.UUIDOption(), { string: EMPTY }),
    resolveLinks: false,
    readDirection:
      reading.from === 'end' && reading.count !== 'all that follow'
        ? Options.ReadDirection.BACKWARDS
        : Options.ReadDirection.FORWARDS,
    ...(reading.count === 'all that follow'
      ? { subscription: new Options.SubscriptionOptions() }
      : { count: String(reading.count) }),
    ...('stream' in reading
      ? { stream: streamFrom(reading.stream, reading.from), noFilter: EMPTY }
      : { all: allFrom(reading.from), filter: filterOf(reading.types) }),
  });
  return filled(new streams.ReadReq(), { options });
}

/**
 * Runs one read and passes its answers to `take` until the read ends or `take` returns `enough`. After `too much` the
 * call is canceled at once. `began` receives the call before its first answer. Throws the errors of the call and of
 * `take`.
 */
export async function readAnswers(
  wire: Wire,
  deadlineMs: number | null,
  reading: Reading<number | 'all that follow'>,
  take: (answer: ReadResp) => 'more' | 'enough' | 'too much',
  began: (call: Cancellable) => void = () => undefined,
): Promise<void> {
  const request = requestOf(reading);
  // Finish such a read rather than cancel it: servers close a connection with many canceled calls within a second.
  const endsItself = 'stream' in reading && reading.count !== 'all that follow';
  await wire.call(
    deadlineMs,
    (client, metadata, options) => client.read(request, metadata, options),
    async (call) => {
      began(call);
      // The call also emits an error when it is canceled below.
      call.on('error', () => undefined);
      try {
        let demand: ReturnType<typeof take> = 'more';
        for await (const answer of call) {
          if (demand === 'more') demand = take(answer as ReadResp);
          if (demand === 'too much' || (demand === 'enough' && !endsItself)) return;
        }
      } finally {
        call.cancel();
      }
    },
  );
}

/** Concurrent reads of the last events of streams, over one connection. */
const STREAMS_AT_ONCE = 64;
/** Deadline of a filtered read, which might scan the whole log before it answers. */
const SCAN_MS = 600_000;

export function logReads(wire: Wire, deadlineMs: number) {
  const scanMs = Math.max(SCAN_MS, deadlineMs);
  /**
   * Collects the values that `pick` returns. A missing stream has none. Retries after a change of the leader or a lost
   * connection. Throws `LogUnavailable` and `DeadlineExceeded`.
   */
  async function collect<Value>(
    reading: Reading<number>,
    pick: (recorded: RecordedEvent) => Value | null,
    limit = reading.count,
    withinMs = deadlineMs,
    dataOf: (value: Value) => string = () => '',
  ): Promise<Value[]> {
    for (let attempt = 1; ; attempt += 1) {
      const values: Value[] = [];
      const bytes = new ByteLimit();
      try {
        await readAnswers(wire, withinMs, reading, (answer) => {
          const recorded = answer.getEvent()?.getEvent();
          const value = recorded === undefined ? null : pick(recorded);
          if (value !== null) {
            values.push(value);
            bytes.add(dataOf(value));
          }
          if (bytes.isReached) return 'too much';
          return answer.hasStreamNotFound() || values.length === limit ? 'enough' : 'more';
        });
        return values;
      } catch (error) {
        const isTransient = isNotLeader(error) || isConnectionLoss(error);
        if (!isTransient || attempt === ATTEMPTS || wire.closed) throw mapError(error);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  const readNewest = async (): Promise<StoredEvent | undefined> =>
    (await collect({ from: 'end', count: 1 }, toEvent))[0];
  /** Returns the id of the event at this position, or undefined if there is none. */
  async function idAt(position: Position): Promise<string | undefined> {
    try {
      const [event] = await collect({ from: position, count: 1 }, toEvent);
      return event?.position === position ? event.id : undefined;
    } catch (error) {
      if (isNoPlace(error)) return undefined;
      throw error;
    }
  }
  const throwSetBack =
    (afterId: string | undefined, after: Position) =>
    (error: unknown): never => {
      throw afterId !== undefined && isNoPlace(error) ? new HistorySetBack(after, afterId) : error;
    };

  async function readUnfiltered({ after, afterId, limit }: ReadAll): Promise<LogBatch> {
    // The answer includes the event at `after` itself, which does not count.
    const dataOf = ({ position, data }: StoredEvent): string => (position > after ? data : '');
    const collected = await collect({ from: after, count: limit + 1 }, toEvent, limit + 1, scanMs, dataOf).catch(
      throwSetBack(afterId, after),
    );
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
  async function readFiltered({ after, afterId, limit }: ReadAll, types: readonly string[]): Promise<LogBatch> {
    const batch = await scan({ after, afterId, limit }, types);
    // Check after the reads and their retries: if the event is there now, it was there during the reads.
    if (afterId !== undefined && (await idAt(after)) !== afterId) throw new HistorySetBack(after, afterId);
    return batch;
  }

  async function scan({ after, afterId, limit }: ReadAll, types: readonly string[]): Promise<LogBatch> {
    const head = await readNewest();
    const atHead = { events: [], scannedTo: head?.position ?? after, scannedId: head?.id };
    if (head === undefined || head.position < after) return { events: [], scannedTo: after, scannedId: afterId };
    if (head.position === after || types.length === 0) return atHead;
    const requestedTypes = new Set(types);
    const pick = (recorded: RecordedEvent): StoredEvent | null => {
      const event = toEvent(recorded);
      return event.position > after && requestedTypes.has(event.type) ? event : null;
    };
    const reading = { from: after, count: limit + 1, types };
    const events = await collect(reading, pick, limit, scanMs, ({ data }) => data).catch(throwSetBack(afterId, after));
    const last = events.at(-1);
    const isCut = bytesOf(events).isReached;
    if (last === undefined || (events.length < limit && !isCut && last.position < head.position))
      return { ...atHead, events };
    return { events, scannedTo: last.position, scannedId: last.id, isCut };
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
        : await collect(
            { stream, from: afterRevision + 1, count: limit },
            toEvent,
            limit,
            deadlineMs,
            ({ data }) => data,
          ),
    async readLast(streams: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>> {
      const waiting = [...new Set(streams)];
      const last = new Map<string, StoredEvent>();
      const readNext = async (): Promise<void> => {
        for (let stream = waiting.pop(); stream !== undefined; stream = waiting.pop()) {
          const [event] = await collect({ stream, from: 'end', count: 1 }, toEvent);
          if (event !== undefined) last.set(stream, event);
        }
      };
      await Promise.all(Array.from({ length: Math.min(STREAMS_AT_ONCE, waiting.length) }, readNext));
      return last;
    },
    /**
     * Derives the identity from the first event, its position and its time of writing here, so that a copy has another
     * one.
     */
    async identity(): Promise<string | null> {
      if (identity !== null) return identity;
      const [first] = await collect({ from: LOG_START, count: 1 }, (recorded) => {
        const { id, position } = toEvent(recorded);
        return derivedId('log', id, position, recorded.getMetadataMap().get('created') ?? '', typeOf(recorded));
      });
      return (identity = first ?? null);
    },
  };
}
