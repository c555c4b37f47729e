import type { LogBatch, ReadAll, StoredEvent } from '../../domain/ports/event-log.ts';
import { positionNumber } from './log-position.ts';

type Read = (read: ReadAll) => Promise<LogBatch>;

export interface WindowLimits {
  readonly events: number;
  /** Characters of the events' data. */
  readonly characters: number;
  /** How long after they were read, in milliseconds. */
  readonly age: number;
}

const LIMITS: WindowLimits = { events: 20_000, characters: 32_000_000, age: 10_000 };
const FETCH = 2000;

/**
 * Keeps the newest events that were read, so that several followers at the head of the log cost one read of it and not one each. A
 * follower that has fallen behind the window, or names no event or another one than the window has at its position, reads for itself; it
 * answers exactly as a read of the log does. What all of them have had time to read goes, so that a slow log does not fill memory for
 * minutes with what is not read again.
 */
export const windowed = (
  read: Read,
  limits: WindowLimits = LIMITS,
  milliseconds: () => number = () => performance.now(),
): { readonly read: Read; readonly forget: () => void } => {
  let events: StoredEvent[] = [];
  /** When they were read, with the position of the last one of each time. */
  let arrivals: { readonly at: number; readonly end: number }[] = [];
  let characters = 0;
  /** Position before the window's first event, and the event there; the window is dense from there. Set once a follower has met the head. */
  let from: number | undefined;
  let fromId: string | undefined;
  /** Asked for, not sent yet. */
  let waiting: { readonly after: number; readonly afterId: string | undefined; readonly batch: Promise<LogBatch> } | undefined;

  const end = () => (from ?? 0) + events.length;
  const idAt = (position: number) => (position === from ? fromId : events[position - from! - 1]?.id);

  const begin = (at: number | undefined, id: string | undefined): void => {
    from = at;
    fromId = id;
    events = [];
    arrivals = [];
    characters = 0;
    waiting = undefined;
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

  /**
   * The log after the window's end, once for all who ask in one turn of the event loop. None joins a read that has been sent: an event
   * appended since might not be in it, and a reader woken by that event would find nothing.
   */
  const fetch = (after: number, { after: position, afterId }: ReadAll): Promise<LogBatch> => {
    if (waiting?.after !== after || waiting.afterId !== afterId) {
      const batch = new Promise((resolve) => setImmediate(resolve)).then(async () => {
        if (waiting === asked) waiting = undefined;
        const found = await read({ after: position, afterId, limit: FETCH });
        keep(after, afterId, found);
        return found;
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
    const isHead = batch.events.length < question.limit;
    // The log ends before the window did when it was asked: it has lost the rest.
    if (isHead && scannedTo < heldTo) forget();
    if (isHead && batch.scannedId !== undefined && (from === undefined || scannedTo > end())) begin(scannedTo, batch.scannedId);
    return batch;
  };

  const windowRead: Read = async (question) => {
    const after = positionNumber(question.after);
    if (from === undefined || after < from || after > end()) return directly(question);
    if (idAt(after) !== question.afterId) {
      // One of the two holds what the log has lost: the reader, if the log says so.
      if (question.afterId !== undefined) forget();
      return directly(question);
    }
    const known = after < end() ? events.slice(after - from) : (await fetch(after, question)).events;
    return pick(known, question);
  };
  const forget = (): void => begin(undefined, undefined);
  return { read: windowRead, forget };
};

/** As many events as are wanted of those types, and how far was looked for them. */
const pick = (events: readonly StoredEvent[], { after, afterId, limit, types }: ReadAll): LogBatch => {
  const wanted = types === undefined ? undefined : new Set(types);
  const picked: StoredEvent[] = [];
  let scannedTo = after;
  let scannedId = afterId;
  for (const event of events) {
    if (picked.length === limit) break;
    if (wanted === undefined || wanted.has(event.type)) picked.push(event);
    scannedTo = event.position;
    scannedId = event.id;
  }
  return { events: picked, scannedTo, scannedId };
};
