/** The state of a KurrentDB server in memory: one log of records at growing positions, with its own events. */

export interface Proposed {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface PeerRecord extends Proposed {
  readonly place: bigint;
  readonly stream: string;
  readonly revision: number;
  /** Ticks of 100 nanoseconds since the epoch. */
  readonly created: bigint;
}

export type Stored =
  | { readonly kind: 'stored'; readonly revision: number; readonly place: bigint }
  /** The same events already existed; the server returns no position. */
  | { readonly kind: 'known'; readonly revision: number }
  | { readonly kind: 'wrong version'; readonly actual: number };

export const sizeOf = ({ type, data, metadata }: Proposed): number => type.length + data.length + metadata.length;

const NOISE_EVERY = 7;
const HEADER = 137n;

export class PeerStore {
  readonly records: PeerRecord[] = [];
  readonly #streams = new Map<string, PeerRecord[]>();
  readonly #listeners = new Set<() => void>();
  #end = 0n;
  #writes = 0;

  constructor() {
    this.#write('$users', [{ type: '$UserCreated' }]);
  }

  /** Called after each append. Returns a function that stops this. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  stream(name: string): readonly PeerRecord[] {
    return this.#streams.get(name) ?? [];
  }

  /** Index of the first record at or beyond a place; -1 for a place where no record begins, which a server refuses. */
  indexAt(place: bigint): number {
    let [low, high] = [0, this.records.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.records[middle]!.place >= place) high = middle;
      else low = middle + 1;
    }
    return this.records[low]?.place === place ? low : -1;
  }

  append(stream: string, expected: number, events: readonly Proposed[]): Stored {
    const before = this.stream(stream);
    const actual = before.length - 1;
    if (expected < actual) {
      const isStored = events.every(({ id }, n) => before[expected + 1 + n]?.id === id);
      return isStored ? { kind: 'known', revision: expected + events.length } : { kind: 'wrong version', actual };
    }
    if (expected > actual) return { kind: 'wrong version', actual };
    if ((this.#writes += 1) % NOISE_EVERY === 0) {
      this.#write('$stats-127.0.0.1:2113', [{ type: '$statsCollected' }]);
      this.#write(`$ce-${stream.split('-')[0]}`, [{ type: '$>' }]);
    }
    const last = this.#write(stream, events);
    for (const listener of this.#listeners) listener();
    return { kind: 'stored', revision: last.revision, place: last.place };
  }

  /** Truncates the log to this many records, as a restored disk image does. */
  setBack(records: number): void {
    for (const { stream } of this.records.splice(records)) this.#streams.get(stream)!.pop();
    const last = this.records.at(-1)!;
    this.#end = last.place + HEADER + BigInt(sizeOf(last));
  }

  #write(stream: string, events: readonly Partial<Proposed>[]): PeerRecord {
    const of = this.#streams.get(stream) ?? [];
    this.#streams.set(stream, of);
    for (const event of events) {
      const {
        id = crypto.randomUUID(),
        type = '',
        contentType = 'application/json',
        data = Buffer.from('{}'),
        metadata = Buffer.of(),
      } = event;
      const record = {
        id,
        type,
        contentType,
        data,
        metadata,
        stream,
        revision: of.length,
        place: this.#end,
        created: BigInt(Date.now()) * 10_000n,
      };
      this.#end += HEADER + BigInt(sizeOf(record));
      of.push(record);
      this.records.push(record);
    }
    return of.at(-1)!;
  }
}
