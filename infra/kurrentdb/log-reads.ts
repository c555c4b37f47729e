import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { derivedId } from '../../domain/identifiers.ts';
import { HistorySetBack, LOG_START, type LogBatch, type Position, type ReadAll, type StoredEvent } from '../../domain/ports/event-log.ts';
import { ByteLimit, bytesOf } from '../../domain/read-log.ts';
import { filled, fromPosition, type RecordedEvent, streamIdentifier, toEvent, typeOf } from './event-form.ts';
import { isConnectionLoss, isNoPlace, isNotLeader, mapError } from './wire-errors.ts';
import type { Cancellable, Wire } from './wire.ts';

/** Events that the server scans in one step of a filtered read. */
const WINDOW = 1_000;
/** All events except the server's own. */
const NOT_SYSTEM = '^[^$]';
const ATTEMPTS = 3;
const { Options } = streams.ReadReq;
const EMPTY = new shared.Empty();

/** A read of one stream from a revision on, or of `$all` from a position on, both inclusive, or of either from its end backwards. */
type Reading<Count> = { readonly count: Count } & (
  | { readonly stream: string; readonly from: number | 'end' }
  | { readonly from: Position | 'end'; readonly types?: readonly string[] | undefined }
);

const exactly = (types: readonly string[]): string =>
  `^(${types.map((type) => type.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;

function filterOf(types: readonly string[] | undefined): ReadReq.Options.FilterOptions {
  const eventType = filled(new Options.FilterOptions.Expression(), { regex: types === undefined ? NOT_SYSTEM : exactly(types) });
  return filled(new Options.FilterOptions(), { eventType, max: WINDOW, checkpointintervalmultiplier: 1 });
}

function allFrom(from: Position | 'end'): ReadReq.Options.AllOptions {
  const place = from === 'end' ? null : fromPosition(from);
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
    readDirection: reading.from === 'end' ? Options.ReadDirection.BACKWARDS : Options.ReadDirection.FORWARDS,
    ...(reading.count === 'all that follow' ? { subscription: new Options.SubscriptionOptions() } : { count: String(reading.count) }),
    ...('stream' in reading
      ? { stream: streamFrom(reading.stream, reading.from), noFilter: EMPTY }
      : { all: allFrom(reading.from), filter: filterOf(reading.types) }),
  });
  return filled(new streams.ReadReq(), { options });
}

/** One call, until it ends or `take` has enough; of `too much` the rest is not received. Throws the error of the call or of `take`. `began` receives the call before it answers. */
export async function readAnswers(
  wire: Wire,
  deadlineMs: number | null,
  reading: Reading<number | 'all that follow'>,
  take: (answer: ReadResp) => 'more' | 'enough' | 'too much',
  began: (call: Cancellable) => void = () => undefined,
): Promise<void> {
  const request = requestOf(reading);
  // Read to its end: servers close a connection on which many calls are cancelled within a second.
  const endsItself = 'stream' in reading && reading.count !== 'all that follow';
  await wire.call(
    deadlineMs,
    (client, metadata, options) => client.read(request, metadata, options),
    async (call) => {
      began(call);
      // A call that is cancelled after its end, or after enough answers, reports an error once more.
      call.on('error', () => undefined);
      try {
        let taken: ReturnType<typeof take> = 'more';
        for await (const answer of call) {
          if (taken === 'more') taken = take(answer as ReadResp);
          if (taken === 'too much' || (taken === 'enough' && !endsItself)) return;
        }
      } finally {
        call.cancel();
      }
    },
  );
}

/** Concurrent reads of the last events of streams, over one connection. */
const STREAMS_AT_ONCE = 64;
/** A filter that matches nothing is answered after a scan of the whole log; dead connections are detected otherwise. */
const SCAN_MS = 600_000;

export function logReads(wire: Wire, deadlineMs: number) {
  const scanMs = Math.max(SCAN_MS, deadlineMs);
  /** None for a missing stream. Repeats where the leader moved or the connection was lost. Throws `LogUnavailable`, `DeadlineExceeded`. */
  async function collect<Value>(
    reading: Reading<number>,
    pick: (recorded: RecordedEvent) => Value | null,
    limit = reading.count,
    withinMs = deadlineMs,
    dataOf: (value: Value) => string = () => '',
  ): Promise<Value[]> {
    for (let attempt = 1; ; attempt += 1) {
      const found: Value[] = [];
      const bytes = new ByteLimit();
      try {
        await readAnswers(wire, withinMs, reading, (answer) => {
          const recorded = answer.getEvent()?.getEvent();
          const value = recorded === undefined ? null : pick(recorded);
          if (value !== null) {
            found.push(value);
            bytes.add(dataOf(value));
          }
          if (bytes.isReached) return 'too much';
          return answer.hasStreamNotFound() || found.length === limit ? 'enough' : 'more';
        });
        return found;
      } catch (error) {
        const again = isNotLeader(error) || isConnectionLoss(error);
        if (!again || attempt === ATTEMPTS || wire.closed) throw mapError(error);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  const newest = async (): Promise<StoredEvent | undefined> => (await collect({ from: 'end', count: 1 }, toEvent))[0];
  /** Of the event at this position; undefined where the log has none there. */
  async function idAt(position: Position): Promise<string | undefined> {
    try {
      const [event] = await collect({ from: position, count: 1 }, toEvent);
      return event?.position === position ? event.id : undefined;
    } catch (error) {
      if (isNoPlace(error)) return undefined;
      throw error;
    }
  }
  const lost =
    (afterId: string | undefined, after: Position) =>
    (error: unknown): never => {
      throw afterId !== undefined && isNoPlace(error) ? new HistorySetBack(after, afterId) : error;
    };

  async function readUnfiltered({ after, afterId, limit }: ReadAll): Promise<LogBatch> {
    // The server includes the event at the position itself.
    const dataOf = ({ position, data }: StoredEvent): string => (position > after ? data : '');
    const found = await collect({ from: after, count: limit + 1 }, toEvent, limit + 1, scanMs, dataOf).catch(lost(afterId, after));
    const before = found[0]?.position === after ? found.shift()!.id : undefined;
    if (afterId !== undefined && before !== afterId) throw new HistorySetBack(after, afterId);
    const events = found.slice(0, limit);
    const last = events.at(-1);
    return { events, scannedTo: last?.position ?? after, scannedId: last?.id ?? before, isCut: bytesOf(events).isReached };
  }

  /** The server does not report how far a filter has scanned: a page that is not full has scanned to the newest event that was read before. */
  async function readFiltered({ after, afterId, limit }: ReadAll, types: readonly string[]): Promise<LogBatch> {
    const batch = await scan({ after, afterId, limit }, types);
    // After the reads, which are repeated over a loss of the connection: if the event is there now, it was there during them.
    if (afterId !== undefined && (await idAt(after)) !== afterId) throw new HistorySetBack(after, afterId);
    return batch;
  }

  async function scan({ after, afterId, limit }: ReadAll, types: readonly string[]): Promise<LogBatch> {
    const seen = await newest();
    const atSeen = { events: [], scannedTo: seen?.position ?? after, scannedId: seen?.id };
    if (seen === undefined || seen.position < after) return { events: [], scannedTo: after, scannedId: afterId };
    if (seen.position === after || types.length === 0) return atSeen;
    const wanted = new Set(types);
    const pick = (recorded: RecordedEvent): StoredEvent | null => {
      const event = toEvent(recorded);
      return event.position > after && wanted.has(event.type) ? event : null;
    };
    const reading = { from: after, count: limit + 1, types };
    const events = await collect(reading, pick, limit, scanMs, ({ data }) => data).catch(lost(afterId, after));
    const last = events.at(-1);
    const isCut = bytesOf(events).isReached;
    if (last === undefined || (events.length < limit && !isCut && last.position < seen.position)) return { ...atSeen, events };
    return { events, scannedTo: last.position, scannedId: last.id, isCut };
  }

  let identity: string | null = null;
  return {
    idAt,
    head: async (): Promise<Position> => (await newest())?.position ?? LOG_START,
    readAll: async (read: ReadAll): Promise<LogBatch> => {
      if (read.limit === 0) return { events: [], scannedTo: read.after, scannedId: read.afterId };
      return read.types === undefined ? await readUnfiltered(read) : await readFiltered(read, read.types);
    },
    readStream: async (stream: string, afterRevision: number, limit: number): Promise<readonly StoredEvent[]> =>
      limit === 0 ? [] : await collect({ stream, from: afterRevision + 1, count: limit }, toEvent, limit, deadlineMs, ({ data }) => data),
    async readLast(streams: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>> {
      const waiting = [...new Set(streams)];
      const last = new Map<string, StoredEvent>();
      const ask = async (): Promise<void> => {
        for (let stream = waiting.pop(); stream !== undefined; stream = waiting.pop()) {
          const [event] = await collect({ stream, from: 'end', count: 1 }, toEvent);
          if (event !== undefined) last.set(stream, event);
        }
      };
      await Promise.all(Array.from({ length: Math.min(STREAMS_AT_ONCE, waiting.length) }, ask));
      return last;
    },
    /** Derived from the first event, its position and the time when this store wrote it, so that a copy of the log has another identity. */
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
