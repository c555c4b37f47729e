import { markerBatch, placed, readHead, type StoredBatch } from './kafka-peer-records.ts';
import { CODES } from './kafka-peer-wire.ts';

interface ProducerState {
  epoch: number;
  next: number;
  /** The newest batches, by which a repeated one is recognised. */
  readonly recent: { readonly sequence: number; readonly base: bigint }[];
}

interface Aborted {
  readonly producer: bigint;
  readonly first: bigint;
  readonly last: bigint;
}

export interface Produced {
  readonly code: number;
  readonly base: bigint;
}

export interface Fetched {
  readonly code: number;
  readonly high: bigint;
  readonly stable: bigint;
  readonly aborted: readonly Aborted[];
  readonly bytes: Buffer;
}

const REMEMBERED = 5;
const NOTHING = -1n;

/** One partition: batches as they came, sequences of producers, open and aborted transactions. */
export class PeerPartition {
  readonly batches: StoredBatch[] = [];
  low = 0n;
  end = 0n;
  readonly #producers = new Map<bigint, ProducerState>();
  readonly #open = new Map<bigint, bigint>();
  readonly #aborted: Aborted[] = [];
  readonly #maxBatchBytes: number;
  #listeners: (() => void)[] = [];

  constructor(maxBatchBytes: number) {
    this.#maxBatchBytes = maxBatchBytes;
  }

  /** The last stable offset: readers of committed messages get nothing at or above it. */
  get stable(): bigint {
    return [...this.#open.values()].reduce((least, first) => (first < least ? first : least), this.end);
  }

  append(bytes: Buffer): Produced {
    const head = readHead(bytes);
    if (head === null) return { code: CODES.corrupt, base: NOTHING };
    if (bytes.length > this.#maxBatchBytes) return { code: CODES.tooLarge, base: NOTHING };
    if (head.producer >= 0n) {
      const producerState = this.#producers.get(head.producer);
      if (producerState !== undefined && head.epoch < producerState.epoch)
        return { code: CODES.invalidEpoch, base: NOTHING };
      const state = producerState?.epoch === head.epoch ? producerState : { epoch: head.epoch, next: 0, recent: [] };
      const repeated = state.recent.find(({ sequence }) => sequence === head.sequence);
      if (repeated !== undefined) return { code: CODES.none, base: repeated.base };
      if (head.sequence !== state.next) return { code: CODES.outOfOrder, base: NOTHING };
      state.next += head.records;
      state.recent.push({ sequence: head.sequence, base: this.end });
      if (state.recent.length > REMEMBERED) state.recent.shift();
      this.#producers.set(head.producer, state);
    }
    if (head.transactional && !this.#open.has(head.producer)) this.#open.set(head.producer, this.end);
    const { base } = this.#put(placed(bytes, this.end));
    return { code: CODES.none, base };
  }

  /** Ends a producer's transaction here with a marker. */
  mark(producer: bigint, epoch: number, committed: boolean): void {
    const first = this.#open.get(producer);
    const marker = this.#put(markerBatch(this.end, producer, epoch, committed));
    if (first !== undefined && !committed) this.#aborted.push({ producer, first, last: marker.base });
    this.#open.delete(producer);
    const state = this.#producers.get(producer);
    if (state === undefined || state.epoch < epoch) this.#producers.set(producer, { epoch, next: 0, recent: [] });
    this.#tell();
  }

  fetch(from: bigint, maxBytes: number, committedOnly: boolean): Fetched {
    const state = { high: this.end, stable: this.stable };
    if (from < this.low || from > this.end)
      return { code: CODES.offsetOutOfRange, ...state, aborted: [], bytes: Buffer.alloc(0) };
    const limit = committedOnly ? state.stable : this.end;
    const batches: StoredBatch[] = [];
    let size = 0;
    for (const batch of this.batches.slice(this.#indexOf(from))) {
      if (batch.base >= limit || (batches.length > 0 && size + batch.bytes.length > maxBytes)) break;
      batches.push(batch);
      size += batch.bytes.length;
    }
    const upTo = batches.at(-1)?.last ?? from;
    const aborted = committedOnly ? this.#aborted.filter(({ first, last }) => last >= from && first <= upTo) : [];
    return {
      code: CODES.none,
      ...state,
      aborted: aborted.toSorted((one, other) => (one.first < other.first ? -1 : 1)),
      bytes: Buffer.concat(batches.map(({ bytes }) => bytes)),
    };
  }

  /** Removes all messages, as retention does; offsets continue. */
  forgetAll(): void {
    this.batches.length = 0;
    this.low = this.end;
  }

  /** Calls once when something is added or becomes stable. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #put(batch: StoredBatch): StoredBatch {
    this.batches.push(batch);
    this.end = batch.last + 1n;
    this.#tell();
    return batch;
  }

  #tell(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  #indexOf(offset: bigint): number {
    let [low, high] = [0, this.batches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.batches[middle]!.last < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
