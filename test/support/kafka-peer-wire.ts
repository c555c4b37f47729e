/** Reads the fields of a Kafka message in order (big-endian, as the protocol's page has them). */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int8(): number {
    return this.#bytes.readInt8((this.#at += 1) - 1);
  }

  int16(): number {
    return this.#bytes.readInt16BE((this.#at += 2) - 2);
  }

  int32(): number {
    return this.#bytes.readInt32BE((this.#at += 4) - 4);
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE((this.#at += 8) - 8);
  }

  boolean(): boolean {
    return this.int8() !== 0;
  }

  nullableText(): string | null {
    const length = this.int16();
    return length < 0 ? null : this.#take(length).toString('utf8');
  }

  text(): string {
    return this.nullableText() ?? '';
  }

  bytes(): Buffer {
    return this.#take(Math.max(0, this.int32()));
  }

  list<Item>(item: () => Item): Item[] {
    return this.nullableList(item) ?? [];
  }

  nullableList<Item>(item: () => Item): Item[] | null {
    const length = this.int32();
    return length < 0 ? null : Array.from({ length }, item);
  }

  #take(length: number): Buffer {
    return this.#bytes.subarray(this.#at, (this.#at += length));
  }
}

/** Writes the fields of a Kafka message in order. */
export class WireWriter {
  readonly #parts: Buffer[] = [];

  int8(value: number): this {
    return this.#fixed(1, (part) => part.writeInt8(value));
  }

  int16(value: number): this {
    return this.#fixed(2, (part) => part.writeInt16BE(value));
  }

  int32(value: number): this {
    return this.#fixed(4, (part) => part.writeInt32BE(value));
  }

  int64(value: bigint | number): this {
    return this.#fixed(8, (part) => part.writeBigInt64BE(BigInt(value)));
  }

  text(value: string | null): this {
    if (value === null) return this.int16(-1);
    const bytes = Buffer.from(value);
    return this.int16(bytes.length).raw(bytes);
  }

  bytes(value: Buffer): this {
    return this.int32(value.length).raw(value);
  }

  list<Item>(items: readonly Item[], write: (item: Item) => unknown): this {
    this.int32(items.length);
    for (const item of items) write(item);
    return this;
  }

  raw(part: Buffer): this {
    this.#parts.push(part);
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #fixed(length: number, write: (part: Buffer) => void): this {
    const part = Buffer.allocUnsafe(length);
    write(part);
    return this.raw(part);
  }
}

/** Cuts a stream of bytes into messages, each behind its length. */
export function framesOf(onFrame: (frame: Buffer) => void): (chunk: Buffer) => void {
  let buffered: Buffer = Buffer.alloc(0);
  return (chunk) => {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    while (buffered.length >= 4 && buffered.length >= 4 + buffered.readInt32BE(0)) {
      const end = 4 + buffered.readInt32BE(0);
      onFrame(buffered.subarray(4, end));
      buffered = buffered.subarray(end);
    }
  };
}

/** Codes of the protocol that the peer answers with. */
export const CODES = {
  none: 0,
  offsetOutOfRange: 1,
  corrupt: 2,
  unknownTopic: 3,
  notLeader: 6,
  tooLarge: 10,
  illegalGeneration: 22,
  unknownMember: 25,
  rebalancing: 27,
  topicExists: 36,
  unsupported: 35,
  outOfOrder: 45,
  invalidEpoch: 47,
  invalidTransaction: 48,
  invalidMapping: 49,
} as const;
