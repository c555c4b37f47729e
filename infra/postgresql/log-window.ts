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
 * follower that has fallen behind the window reads for itself; it answers exactly as a read of the log does. What all of them have had time
 * to read goes, so that a slow log does not fill memory for minutes with what is not read again.
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
  /** Position before the window's first event; the window is dense from there. Set once a follower has met the head. */
  let from: number | undefined;
  /** Asked for, not sent yet. */
  let waiting: { readonly after: number; readonly batch: Promise<LogBatch> } | undefined;

  const end = () => (from ?? 0) + events.length;

  const begin = (at: number | undefined): void => {
    from = at;
    events = [];
    arrivals = [];
    characters = 0;
    waiting = undefined;
  };

  const keep = (after: number, batch: LogBatch) => {
    if (from === undefined || after !== end()) return;
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
      events = events.slice(dropped);
      from += dropped;
    }
  };

  /**
   * The log after the window's end, once for all who ask in one turn of the event loop. None joins a read that has been sent: an event
   * appended since might not be in it, and a reader woken by that event would find nothing.
   */
  const fetch = (after: number, position: ReadAll['after']): Promise<LogBatch> => {
    if (waiting?.after !== after) {
      const batch = new Promise((resolve) => setImmediate(resolve)).then(async () => {
        if (waiting === asked) waiting = undefined;
        const found = await read({ after: position, limit: FETCH });
        keep(after, found);
        return found;
      });
      const asked = { after, batch };
      waiting = asked;
    }
    return waiting.batch;
  };

  const directly = async (question: ReadAll): Promise<LogBatch> => {
    const batch = await read(question);
    const scannedTo = batch.scannedTo === question.after ? undefined : positionNumber(batch.scannedTo);
    if (scannedTo !== undefined && batch.events.length < question.limit && scannedTo > end()) {
      begin(scannedTo);
    }
    return batch;
  };

  const windowRead: Read = async (question) => {
    const after = positionNumber(question.after);
    if (from === undefined || after < from || after > end()) return directly(question);
    const known = after < end() ? events.slice(after - from) : (await fetch(after, question.after)).events;
    return pick(known, question);
  };
  return { read: windowRead, forget: () => begin(undefined) };
};

/** As many events as are wanted of those types, and how far was looked for them. */
const pick = (events: readonly StoredEvent[], { after, limit, types }: ReadAll): LogBatch => {
  const wanted = types === undefined ? undefined : new Set(types);
  const picked: StoredEvent[] = [];
  let scannedTo = after;
  let scannedId: string | undefined;
  for (const event of events) {
    if (picked.length === limit) break;
    if (wanted === undefined || wanted.has(event.type)) picked.push(event);
    scannedTo = event.position;
    scannedId = event.id;
  }
  return { events: picked, scannedTo, scannedId };
};
