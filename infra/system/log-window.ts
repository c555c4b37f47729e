import {
  HistorySetBack,
  type LogBatch,
  type Position,
  type ReadAll,
  type StoredEvent,
} from '../../domain/ports/event-log.ts';
import { pickEvents } from './log-subscription.ts';

type Mark = Pick<StoredEvent, 'position' | 'id'>;
type ReadBatch = (read: ReadAll) => Promise<LogBatch>;

interface SharedRead extends Pick<ReadAll, 'after' | 'afterId'> {
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

/** The newest events of the log after an event, in order and without gaps. */
class EventWindow {
  #from: Mark;
  #events: StoredEvent[] = [];
  #characters = 0;
  /** Time of each read, and the position of its last event. */
  #arrivals: { readonly at: number; readonly end: Position }[] = [];

  constructor(from: Mark) {
    this.#from = from;
  }

  get start(): Position {
    return this.#from.position;
  }

  get end(): Position {
    return (this.#events.at(-1) ?? this.#from).position;
  }

  /** Returns the id of the event at a position, or undefined if the window does not know it. */
  idAt(position: Position): string | undefined {
    const mark = this.#events[this.#countUpTo(position) - 1] ?? this.#from;
    return mark.position === position ? mark.id : undefined;
  }

  eventsAfter(position: Position): readonly StoredEvent[] {
    return this.#events.slice(this.#countUpTo(position));
  }

  /** Adds the next events, and drops the oldest beyond the limits. */
  add(events: readonly StoredEvent[], limits: typeof LIMITS, now: number): void {
    for (const event of events) {
      this.#events.push(event);
      this.#characters += event.data.length;
    }
    if (events.length > 0) this.#arrivals.push({ at: now, end: this.end });
    const outlived = this.#arrivals.findLast(({ at }) => now - at > limits.age)?.end ?? this.start;
    this.#arrivals = this.#arrivals.filter(({ at }) => now - at <= limits.age);
    let dropped = 0;
    for (const { position, data } of this.#events) {
      const fits = this.#events.length - dropped <= limits.events && this.#characters <= limits.characters;
      if (fits && position > outlived) break;
      this.#characters -= data.length;
      dropped += 1;
    }
    const last = this.#events[dropped - 1];
    if (last === undefined) return;
    this.#from = { position: last.position, id: last.id };
    this.#events = this.#events.slice(dropped);
  }

  #countUpTo(limit: Position): number {
    return this.#events.findLastIndex(({ position }) => position <= limit) + 1;
  }
}

/**
 * Caches the newest events, so that followers at the head share one read. The result always equals a read of the log.
 *
 * - no window: until a read reaches the head. A lost history and `forget` end a window.
 * - follower within the window, with the window's event at its position: reads the window.
 * - follower at its end: joins the next read of the log, whose events are added to the window.
 * - any other follower: reads the log itself, which compares the follower's last event.
 */
export function windowed(
  read: ReadBatch,
  limits = LIMITS,
  milliseconds: () => number = () => performance.now(),
): { readonly read: ReadBatch; readonly forget: () => void } {
  let window: EventWindow | undefined;
  /** Newest read that is scheduled and not sent, and newest read that is sent and not answered. */
  let waiting: SharedRead | undefined;
  let sharedRead: SharedRead | undefined;
  const replace = (next: EventWindow | undefined): void => {
    window = next;
    waiting = undefined;
    sharedRead = undefined;
  };
  const forget = (): void => replace(undefined);

  /**
   * Reads the events after the window, one read at a time for all callers. A read that was sent before might miss the
   * event that woke the caller, so a caller that joins it reads again if it is empty.
   */
  const fetchTail = async (question: ReadAll): Promise<LogBatch> => {
    const joined = isSame(sharedRead, question) ? await sharedRead.batch : undefined;
    return joined !== undefined && joined.events.length > 0 ? joined : await fetchNext(question);
  };

  /** Reads once for all callers of the same turn of the event loop. */
  const fetchNext = ({ after, afterId }: ReadAll): Promise<LogBatch> => {
    if (isSame(waiting, { after, afterId })) return waiting.batch;
    const batch = new Promise((resolve) => setImmediate(resolve)).then(async () => {
      if (waiting === shared) waiting = undefined;
      sharedRead = shared;
      try {
        const result = await read({ after, afterId, limit: FETCH });
        if (window?.end === after && window.idAt(after) === afterId) window.add(result.events, limits, milliseconds());
        return result;
      } catch (error) {
        if (error instanceof HistorySetBack) forget();
        throw error;
      } finally {
        if (sharedRead === shared) sharedRead = undefined;
      }
    });
    const shared: SharedRead = { after, afterId, batch };
    waiting = shared;
    return batch;
  };

  const readDirectly = async (question: ReadAll): Promise<LogBatch> => {
    const windowEnd = window?.end;
    const batch = await read(question);
    const { scannedTo, scannedId } = batch;
    if (batch.events.length === question.limit || batch.isCut === true) return batch;
    // The log now ends before the end that the window had, so it has lost events.
    if (windowEnd !== undefined && scannedTo < windowEnd) forget();
    if (scannedId !== undefined && (window === undefined || scannedTo > window.end))
      replace(new EventWindow({ position: scannedTo, id: scannedId }));
    return batch;
  };

  const readThrough: ReadBatch = async (question) => {
    const { after, afterId } = question;
    if (window === undefined || after < window.start || after > window.end) return readDirectly(question);
    const id = window.idAt(after);
    if (id === undefined || id !== afterId) {
      // The reader or the window has lost history. If it is the reader, the direct read throws.
      if (afterId !== undefined) forget();
      return readDirectly(question);
    }
    const next = after < window.end ? window.eventsAfter(after) : (await fetchTail(question)).events;
    return pickEvents(next, question);
  };
  return { read: readThrough, forget };
}

function isSame(shared: SharedRead | undefined, { after, afterId }: Omit<ReadAll, 'limit'>): shared is SharedRead {
  return shared?.after === after && shared.afterId === afterId;
}
