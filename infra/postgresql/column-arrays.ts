import type { ColumnArrays } from '../../domain/ports/database.ts';

/** Type OIDs, fixed in PostgreSQL's catalogue. */
const OID = { bool: 16, bytea: 17, int8: 20, text: 25, json: 114, uuid: 2950 };
const HEADER = 20;
const LENGTH = 4;
const NULL_LENGTH = -1;
const TWO_TO_32 = 4_294_967_296;

/** The binary form of a one-dimensional array with room for `size` bytes of elements, its header written. */
function allocate(elementType: number, count: number, size: number, hasNull: boolean): Buffer {
  if (count === 0) {
    const empty = Buffer.alloc(12);
    empty.writeInt32BE(elementType, 8);
    return empty;
  }
  const buffer = Buffer.allocUnsafe(HEADER + size);
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(hasNull ? 1 : 0, 4);
  buffer.writeInt32BE(elementType, 8);
  buffer.writeInt32BE(count, 12);
  buffer.writeInt32BE(1, 16);
  return buffer;
}

function variable<Value>(
  elementType: number,
  values: readonly (Value | null)[],
  lengthOf: (value: Value) => number,
  write: (buffer: Buffer, value: Value, at: number, length: number) => unknown,
): Buffer {
  const lengths = new Int32Array(values.length);
  let size = values.length * LENGTH;
  let hasNull = false;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index]!;
    if (value === null) hasNull = true;
    else size += lengths[index] = lengthOf(value);
  }
  const buffer = allocate(elementType, values.length, size, hasNull);
  let at = HEADER;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index]!;
    const length = value === null ? NULL_LENGTH : lengths[index]!;
    at = buffer.writeInt32BE(length, at);
    if (value === null) continue;
    write(buffer, value, at, length);
    at += length;
  }
  return buffer;
}

const writeText = (buffer: Buffer, value: string, at: number, length: number) => buffer.write(value, at, length, 'utf8');
const writeBoolean = (buffer: Buffer, value: boolean, at: number) => buffer.writeUInt8(value ? 1 : 0, at);
const writeBytes = (buffer: Buffer, value: Uint8Array, at: number) => buffer.set(value, at);

const texts = (elementType: number, values: readonly (string | null)[]): Buffer =>
  variable(elementType, values, (value: string) => Buffer.byteLength(value), writeText);

function writeBigint(buffer: Buffer, value: number | bigint, at: number): void {
  if (typeof value === 'bigint') return void buffer.writeBigInt64BE(value, at);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number that a column of bigints takes`);
  const high = Math.floor(value / TWO_TO_32);
  buffer.writeInt32BE(high, at);
  buffer.writeUInt32BE(value - high * TWO_TO_32, at + 4);
}

/** Values of hexadecimal digits by character code; -1 for every other character. */
const DIGITS = new Int8Array(0x1_00_00).fill(-1);
for (const digit of '0123456789abcdefABCDEF') DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16);
const UUID_LENGTH = 36;
const HYPHEN = '-'.charCodeAt(0);
/** Where each byte of a uuid has its two digits. */
const DIGIT_PAIRS = new Uint8Array([0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]);

const isHyphen = (value: string, index: number): boolean => value.charCodeAt(index) === HYPHEN;

function writeUuid(buffer: Buffer, value: string, at: number): void {
  const isGrouped = isHyphen(value, 8) && isHyphen(value, 13) && isHyphen(value, 18) && isHyphen(value, 23);
  // Negative once a character is no digit.
  let every = value.length === UUID_LENGTH && isGrouped ? 0 : -1;
  for (let nth = 0; every >= 0 && nth < 16; nth++) {
    const index = DIGIT_PAIRS[nth]!;
    const byte = (DIGITS[value.charCodeAt(index)]! << 4) | DIGITS[value.charCodeAt(index + 1)]!;
    every |= byte;
    buffer[at + nth] = byte;
  }
  if (every < 0) throw new RangeError(`${value} is no uuid`);
}

/** Columns as PostgreSQL's binary arrays, without escaping or parsing. A string is sent as UTF-8. */
export const columnArrays: ColumnArrays & { jsons(values: readonly string[]): Buffer } = {
  texts: (values) => texts(OID.text, values),
  jsons: (values) => texts(OID.json, values),
  bigints: (values) => variable<number | bigint>(OID.int8, values, () => 8, writeBigint),
  uuids: (values) => variable<string>(OID.uuid, values, () => 16, writeUuid),
  booleans: (values) => variable<boolean>(OID.bool, values, () => 1, writeBoolean),
  bytes: (values) => variable<Uint8Array>(OID.bytea, values, ({ byteLength }) => byteLength, writeBytes),
};
