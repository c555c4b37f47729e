import { HistorySetBack, type LogBatch, type ReadAll, type StoredEvent } from '../../domain/ports/event-log.ts';
import { pickEvents } from '../system/log-subscription.ts';
import { positionNumber } from './log-position.ts';

type Read = (read: ReadAll) => Promise<LogBatch>;

interface Asked {
  readonly after: number;
  readonly afterId: string | undefined;
  readonly batch: Promise<LogBatch>;
}

const LIMITS = {
  events: 20_000,
  /** Of the data of all events. */
  characters: 32_000_000,
  /** Milliseconds since the events were read. */
  age: 10_000,
};
const FETCH = 2000;

/**
 * Caches the newest events, so that followers at the head share one read. A follower behind the window, or with no or another event at its
 * position, reads the log itself. The answer always equals a read of the log. Events leave the window after `age`, so that they do not fill
 * memory where the log grows slowly.
 */
export function windowed(
  read: Read,
  limits = LIMITS,
  milliseconds: () => number = () => performance.now(),
): { readonly read: Read; readonly forget: () => void } {
  let events: StoredEvent[] = [];
  /** Of each read: its time, and the position of its last event. */
  let arrivals: { readonly at: number; readonly end: number }[] = [];
  let characters = 0;
  /** Position and id of the event before the window. Undefined until a follower has reached the head. */
  let from: number | undefined;
  let fromId: string | undefined;
  /** The newest read that is scheduled and not sent, and the newest that is sent and not answered. */
  let waiting: Asked | undefined;
  let sent: Asked | undefined;

  const end = () => (from ?? 0) + events.length;
  const idAt = (position: number) => (position === from ? fromId : events[position - from! - 1]?.id);

  const begin = (at: number | undefined, id: string | undefined): void => {
    from = at;
    fromId = id;
    events = [];
    arrivals = [];
    characters = 0;
    waiting = undefined;
    sent = undefined;
  };

  const keep = (after: number, afterId: string | undefined, batch: LogBatch) => {
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

  /** One read at a time for all callers. A caller that joins a sent read, which may lack the event that woke it, reads again where it is empty. */
  const fetch = async (after: number, question: ReadAll): Promise<LogBatch> => {
    const joined = sent?.after === after && sent.afterId === question.afterId ? await sent.batch : undefined;
    return joined !== undefined && joined.events.length > 0 ? joined : await fetchNext(after, question);
  };

  /** For all callers of a turn of the event loop. */
  const fetchNext = (after: number, { after: position, afterId }: ReadAll): Promise<LogBatch> => {
    if (waiting?.after !== after || waiting.afterId !== afterId) {
      const batch = new Promise((resolve) => setImmediate(resolve)).then(async () => {
        if (waiting === asked) waiting = undefined;
        sent = asked;
        try {
          const found = await read({ after: position, afterId, limit: FETCH });
          keep(after, afterId, found);
          return found;
        } catch (error) {
          if (error instanceof HistorySetBack) forget();
          throw error;
        } finally {
          if (sent === asked) sent = undefined;
        }
      });
      const asked = { after, afterId, batch };
      waiting = asked;
    }
    return waiting.batch;
  };

  const directly = async (question: ReadAll): Promise<LogBatch> => {
    const heldTo = end();
    const batch = await read(question);
    const scannedTo = positionNumber(batch.scannedTo);
    const isHead = batch.events.length < question.limit && batch.isCut !== true;
    // The log ends before the end that the window had when the read was sent: the log has lost those events.
    if (isHead && scannedTo < heldTo) forget();
    if (isHead && batch.scannedId !== undefined && (from === undefined || scannedTo > end())) begin(scannedTo, batch.scannedId);
    return batch;
  };

  const windowRead: Read = async (question) => {
    const after = positionNumber(question.after);
    if (from === undefined || after < from || after > end()) return directly(question);
    if (idAt(after) !== question.afterId) {
      // The reader or the window holds lost history; a direct read throws where it is the reader.
      if (question.afterId !== undefined) forget();
      return directly(question);
    }
    const known = after < end() ? events.slice(after - from) : (await fetch(after, question)).events;
    return pickEvents(known, question);
  };
  const forget = (): void => begin(undefined, undefined);
  return { read: windowRead, forget };
}
