/** Places in a record batch (version 2 of the format). The base offset and all before the checksum may be rewritten by a broker. */
const AT = {
  length: 8,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastDelta: 23,
  producer: 43,
  epoch: 51,
  sequence: 53,
  records: 57,
  body: 61,
} as const;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

/** A batch as it lies in a partition; its bytes are the producer's own but for the base offset. */
export interface StoredBatch {
  readonly base: bigint;
  readonly last: bigint;
  readonly bytes: Buffer;
}

export interface BatchHead {
  readonly records: number;
  readonly producer: bigint;
  readonly epoch: number;
  readonly sequence: number;
  readonly transactional: boolean;
}

const TABLE = Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value >>> 0;
});

/** CRC-32C (Castagnoli). */
export function checksum(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** The head of a batch that a producer sent; null when its checksum or form is wrong. */
export function readHead(bytes: Buffer): BatchHead | null {
  if (bytes.length < AT.body || bytes.readInt8(AT.magic) !== 2 || bytes.readInt32BE(AT.length) !== bytes.length - 12)
    return null;
  if (bytes.readUInt32BE(AT.crc) !== checksum(bytes.subarray(AT.attributes))) return null;
  return {
    records: bytes.readInt32BE(AT.lastDelta) + 1,
    producer: bytes.readBigInt64BE(AT.producer),
    epoch: bytes.readInt16BE(AT.epoch),
    sequence: bytes.readInt32BE(AT.sequence),
    transactional: (bytes.readInt16BE(AT.attributes) & TRANSACTIONAL) !== 0,
  };
}

/** The batch at its place in a partition. */
export function placed(bytes: Buffer, base: bigint): StoredBatch {
  const copy = Buffer.from(bytes);
  copy.writeBigInt64BE(base, 0);
  return { base, last: base + BigInt(copy.readInt32BE(AT.lastDelta)), bytes: copy };
}

/** The marker that a coordinator writes into each partition at the end of a transaction. */
export function markerBatch(base: bigint, producer: bigint, epoch: number, committed: boolean): StoredBatch {
  const key = Buffer.from([0, 0, 0, committed ? 1 : 0]);
  const value = Buffer.from([0, 0, 0, 0, 0, 0]);
  const zigzag = (number: number): Buffer => Buffer.from([number * 2]);
  const body = Buffer.concat([
    Buffer.from([0]),
    zigzag(0),
    zigzag(0),
    zigzag(key.length),
    key,
    zigzag(value.length),
    value,
    zigzag(0),
  ]);
  const record = Buffer.concat([zigzag(body.length), body]);
  const bytes = Buffer.alloc(AT.body + record.length);
  bytes.writeInt32BE(bytes.length - 12, AT.length);
  bytes.writeInt8(2, AT.magic);
  bytes.writeInt16BE(TRANSACTIONAL | CONTROL, AT.attributes);
  bytes.writeBigInt64BE(producer, AT.producer);
  bytes.writeInt16BE(epoch, AT.epoch);
  bytes.writeInt32BE(-1, AT.sequence);
  bytes.writeInt32BE(1, AT.records);
  record.copy(bytes, AT.body);
  bytes.writeUInt32BE(checksum(bytes.subarray(AT.attributes)), AT.crc);
  return placed(bytes, base);
}
