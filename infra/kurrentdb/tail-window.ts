import type { LogBatch, Position, ReadAll, StoredEvent } from '../../domain/ports/event-log.ts';

export interface TailLimits {
  readonly events: number;
  /** In total, of the data of events. */
  readonly characters: number;
}

/** The newest events of the log, in order and without gaps from a position on. */
export class TailWindow {
  readonly #limits: TailLimits;
  #events: StoredEvent[] = [];
  #characters = 0;
  #from: Position;

  constructor(from: Position, limits: TailLimits) {
    this.#from = from;
    this.#limits = limits;
  }

  /** Position of the newest event. */
  get end(): Position {
    return this.#events.at(-1)?.position ?? this.#from;
  }

  /** True where the window has all events after this position. */
  covers(after: Position): boolean {
    return after >= this.#from;
  }

  /** Adds the next event and drops the oldest ones over the limits. */
  add(event: StoredEvent): void {
    if (event.position <= this.end) return;
    this.#events.push(event);
    this.#characters += event.data.length;
    const { events, characters } = this.#limits;
    if (this.#events.length <= events && this.#characters <= characters) return;
    let dropped = 0;
    // Down to half, so that drops are rare.
    while (dropped < this.#events.length && (this.#events.length - dropped > events / 2 || this.#characters > characters / 2)) {
      this.#characters -= this.#events[dropped]!.data.length;
      this.#from = this.#events[dropped]!.position;
      dropped += 1;
    }
    this.#events = this.#events.slice(dropped);
  }

  /** The first `limit` events of the types, and how far the events were scanned. */
  pick({ after, limit, types }: ReadAll): LogBatch {
    const wanted = types === undefined ? undefined : new Set(types);
    const picked: StoredEvent[] = [];
    let scannedTo = after;
    for (let at = this.#firstAfter(after); at < this.#events.length && picked.length < limit; at += 1) {
      const event = this.#events[at]!;
      if (wanted === undefined || wanted.has(event.type)) picked.push(event);
      scannedTo = event.position;
    }
    return { events: picked, scannedTo };
  }

  #firstAfter(after: Position): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#events[middle]!.position > after) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
