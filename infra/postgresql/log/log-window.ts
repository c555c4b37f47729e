import { HistorySetBack, type LogBatch, type ReadAll, type StoredEvent } from '../../../domain/ports/event-log.ts';
import { pickEvents } from '../../system/log-subscription.ts';
import { positionNumber } from './log-position.ts';

type Read = (read: ReadAll) => Promise<LogBatch>;

interface SharedRead {
  readonly after: number;
  readonly afterId: string | undefined;
  readonly batch: Promise<LogBatch>;
}

const LIMITS = {
  events: 20_000,
  /** Characters in the data of all events. */
  characters: 32_000_000,
  /** Milliseconds that an event stays in the window. */
  age: 10_000,
};
const FETCH = 2000;

/**
 * Caches the newest events, so that followers at the head share one read. A follower behind the window, or with a
 * different event at its position, reads the log itself. The result always equals a read of the log. Events leave the
 * window after `age`, so that they do not fill memory while the log grows slowly.
 */
export function windowed(
  read: Read,
  limits = LIMITS,
  milliseconds: () => number = () => performance.now(),
): { readonly read: Read; readonly forget: () => void } {
  let events: StoredEvent[] = [];
  /** Time of each read, and the position of its last event. */
  let arrivals: { readonly at: number; readonly end: number }[] = [];
  let characters = 0;
  /** Position and id of the event before the window. Undefined until a follower has reached the head. */
  let from: number | undefined;
  let fromId: string | undefined;
  /** Newest read that is scheduled and not sent, and newest read that is sent and not answered. */
  let waiting: SharedRead | undefined;
  let sent: SharedRead | undefined;

  const end = () => (from ?? 0) + events.length;
  const idAt = (position: number) => (position === from ? fromId : events[position - from! - 1]?.id);

  const reset = (at: number | undefined, id: string | undefined): void => {
    from = at;
    fromId = id;
    events = [];
    arrivals = [];
    characters = 0;
    waiting = undefined;
    sent = undefined;
  };

  const add = (after: number, afterId: string | undefined, batch: LogBatch) => {
    if (from === undefined || after !== end() || afterId !== idAt(after)) return;
    for (const event of batch.events) {
      events.push(event);
      characters += event.data.length;
    }
    const now = milliseconds();
    if (batch.events.length > 0) arrivals.push({ at: now, end: end() });
    const young = arrivals.findIndex(({ at }) => now - at <= limits.age);
    const outlived = young === -1 ? end() : young === 0 ? from : arrivals[young - 1]!.end;
    arrivals = young === -1 ? [] : arrivals.slice(young);
    let dropped = 0;
    while (
      from + dropped < outlived ||
      events.length - dropped > limits.events ||
      (characters > limits.characters && dropped < events.length)
    ) {
      characters -= events[dropped]!.data.length;
      dropped += 1;
    }
    if (dropped > 0) {
      fromId = events[dropped - 1]!.id;
      events = events.slice(dropped);
      from += dropped;
    }
  };

  /**
   * Reads the events after the window, one read at a time for all callers. A read that was sent before might miss the
   * event that woke the caller, so a caller that joins it reads again if it is empty.
   */
  const fetchTail = async (after: number, question: ReadAll): Promise<LogBatch> => {
    const joined = sent?.after === after && sent.afterId === question.afterId ? await sent.batch : undefined;
    return joined !== undefined && joined.events.length > 0 ? joined : await fetchNext(after, question);
  };

  /** Reads once for all callers of the same turn of the event loop. */
  const fetchNext = (after: number, { after: position, afterId }: ReadAll): Promise<LogBatch> => {
    if (waiting?.after !== after || waiting.afterId !== afterId) {
      const batch = new Promise((resolve) => setImmediate(resolve)).then(async () => {
        if (waiting === shared) waiting = undefined;
        sent = shared;
        try {
          const result = await read({ after: position, afterId, limit: FETCH });
          add(after, afterId, result);
          return result;
        } catch (error) {
          if (error instanceof HistorySetBack) drop();
          throw error;
        } finally {
          if (sent === shared) sent = undefined;
        }
      });
      const shared = { after, afterId, batch };
      waiting = shared;
    }
    return waiting.batch;
  };

  const readDirectly = async (question: ReadAll): Promise<LogBatch> => {
    const windowEnd = end();
    const batch = await read(question);
    const scannedTo = positionNumber(batch.scannedTo);
    const isHead = batch.events.length < question.limit && batch.isCut !== true;
    // The log now ends before the end that the window had, so it has lost events.
    if (isHead && scannedTo < windowEnd) drop();
    if (isHead && batch.scannedId !== undefined && (from === undefined || scannedTo > end()))
      reset(scannedTo, batch.scannedId);
    return batch;
  };

  const windowRead: Read = async (question) => {
    const after = positionNumber(question.after);
    if (from === undefined || after < from || after > end()) return readDirectly(question);
    if (idAt(after) !== question.afterId) {
      // The reader or the window has lost history. If it is the reader, the direct read throws.
      if (question.afterId !== undefined) drop();
      return readDirectly(question);
    }
    const next = after < end() ? events.slice(after - from) : (await fetchTail(after, question)).events;
    return pickEvents(next, question);
  };
  const drop = (): void => reset(undefined, undefined);
  return { read: windowRead, forget: drop };
}
