import { derivedId } from '../../domain/identifiers.ts';
import { LOG_START, type LogBatch, type Position, type ReadAll, type StoredEvent } from '../../domain/ports/event-log.ts';
import { typeOf, toEvent } from './event-form.ts';
import { readCall, type Reading } from './read-calls.ts';
import type { Wire } from './wire.ts';

/** Concurrent reads of the last events of streams, over one connection. */
const STREAMS_AT_ONCE = 64;
/** A filter that matches nothing is answered after a scan of the whole log; dead connections are detected otherwise. */
const SCAN_MS = 600_000;

export function logReads(wire: Wire, deadlineMs: number) {
  const collect = (reading: Reading, limit: number, isWanted: (event: StoredEvent) => boolean = () => true, withinMs = deadlineMs) =>
    readCall(wire, withinMs, reading, limit, (recorded) => {
      const event = toEvent(recorded);
      return isWanted(event) ? event : null;
    });

  const head = async (): Promise<Position> => (await collect({ from: 'end', count: 1 }, 1))[0]?.position ?? LOG_START;

  /**
   * The server does not report how far a filter has scanned. A page that is not full has scanned at least up to the head that was read
   * before it.
   */
  const readAll = async ({ after, limit, types }: ReadAll): Promise<LogBatch> => {
    if (limit === 0) return { events: [], scannedTo: after };
    const seen = types === undefined ? after : await head();
    if (types !== undefined && (types.length === 0 || seen <= after)) return { events: [], scannedTo: seen > after ? seen : after };
    const wanted = types === undefined ? undefined : new Set(types);
    const isWanted = ({ position, type }: StoredEvent): boolean => position > after && (wanted === undefined || wanted.has(type));
    // The server includes the event at the position itself.
    const events = await collect({ from: after, count: limit + 1, types }, limit, isWanted, Math.max(SCAN_MS, deadlineMs));
    const last = events.at(-1)?.position ?? after;
    return { events, scannedTo: events.length === limit || last > seen ? last : seen };
  };

  let identity: string | null = null;

  return {
    readAll,
    head,
    readStream: async (stream: string, afterRevision: number, limit: number): Promise<readonly StoredEvent[]> =>
      limit === 0 ? [] : await collect({ stream, from: afterRevision + 1, count: limit }, limit),

    async readLast(streams: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>> {
      const waiting = [...new Set(streams)];
      const last = new Map<string, StoredEvent>();
      const ask = async (): Promise<void> => {
        for (let stream = waiting.pop(); stream !== undefined; stream = waiting.pop()) {
          const [event] = await collect({ stream, from: 'end', count: 1 }, 1);
          if (event !== undefined) last.set(stream, event);
        }
      };
      await Promise.all(Array.from({ length: Math.min(STREAMS_AT_ONCE, waiting.length) }, ask));
      return last;
    },

    /** Derived from the first event, its position and the time when this store wrote it: a copy of the log has another identity. */
    async identity(): Promise<string | null> {
      if (identity !== null) return identity;
      const [first] = await readCall(wire, deadlineMs, { from: LOG_START, count: 1 }, 1, (recorded) => {
        const { id, position } = toEvent(recorded);
        return derivedId('log', id, position, recorded.getMetadataMap().get('created') ?? '', typeOf(recorded));
      });
      return (identity = first ?? null);
    },
  };
}
