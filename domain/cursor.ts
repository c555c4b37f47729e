import { FINGERPRINT_BYTES } from './digests.ts';
import type { Resource } from './records/resources.ts';

/**
 * The text form that every kind of cursor shares: version, kind, payload and checksum in base64url. The checksum catches damage; it is no
 * secret, for a cursor authorizes nothing. Each value has exactly one text, and every other text is refused.
 */
export const CURSOR_KINDS = { feed: 1, snapshotPage: 2, coverage: 3, upcoming: 4, search: 5 } as const;
export type CursorKind = keyof typeof CURSOR_KINDS;

/** Feed and snapshot-page cursors, in characters. */
export const MAX_CURSOR_LENGTH = 512;

const VERSION = 1;
const HEADER_BYTES = 2;
const CHECKSUM_BYTES = 4;

export type CursorDamage = 'damaged' | 'other kind';

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

const CRC_START = 0xffffffff;
/** Carries an unfinished CRC-32 over further bytes. */
function crcOver(bytes: Uint8Array, from: number, to: number, running: number): number {
  let crc = running;
  for (let index = from; index < to; index += 1) crc = (CRC_TABLE[(crc ^ bytes[index]!) & 0xff]! ^ (crc >>> 8)) >>> 0;
  return crc;
}
const crcFinished = (running: number): number => (running ^ 0xffffffff) >>> 0;

const header = (kind: CursorKind): Uint8Array => Uint8Array.of(VERSION, CURSOR_KINDS[kind]);

export function cursorText(kind: CursorKind, payload: Uint8Array): string {
  const bytes = Buffer.concat([header(kind), payload, Buffer.alloc(CHECKSUM_BYTES)]);
  const end = bytes.length - CHECKSUM_BYTES;
  bytes.writeUInt32BE(crcFinished(crcOver(bytes, 0, end, CRC_START)), end);
  return bytes.toString('base64url');
}

/** The kind of a valid cursor, or undefined for any other text. Throws for a value that is not a string. */
export function cursorKind(text: string, maxLength: number): CursorKind | undefined {
  const bytes = cursorBytes(text, maxLength);
  return bytes === undefined ? undefined : (Object.keys(CURSOR_KINDS) as CursorKind[]).find((kind) => CURSOR_KINDS[kind] === bytes[1]);
}

/** Header, payload and checksum of an undamaged cursor of any kind. */
function cursorBytes(text: string, maxLength: number): Buffer | undefined {
  if (text.length > maxLength) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const end = bytes.length - CHECKSUM_BYTES;
  // Buffer.from skips what it does not know; only the text that the bytes themselves have is a cursor.
  if (end < HEADER_BYTES || bytes.toString('base64url') !== text) return undefined;
  const sound = bytes.readUInt32BE(end) === crcFinished(crcOver(bytes, 0, end, CRC_START)) && bytes[0] === VERSION;
  return sound ? bytes : undefined;
}

/** The payload of a cursor of the expected kind, or the reason why there is none. Throws for a value that is not a string. */
export function cursorPayload(kind: CursorKind, text: string, maxLength: number): Buffer | CursorDamage {
  const bytes = cursorBytes(text, maxLength);
  if (bytes === undefined) return 'damaged';
  return bytes[1] === CURSOR_KINDS[kind] ? bytes.subarray(HEADER_BYTES, bytes.length - CHECKSUM_BYTES) : 'other kind';
}

export const UUID_BYTES = 16;
export const uuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');
export const uuidText = (bytes: Buffer, at: number): string =>
  bytes.toString('hex', at, at + UUID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

export const TIME_BYTES = 8;
/** No `Date` is further from the epoch, in milliseconds. */
const FURTHEST = 8_640_000_000_000_000n;
/** Undefined for what no time can be. */
export function readTime(bytes: Buffer, at: number): number | undefined {
  const time = bytes.readBigInt64BE(at);
  return time > FURTHEST || time < -FURTHEST ? undefined : Number(time);
}

const POSITION_BYTES = 7;
/** What may follow a position. */
const MAX_AFTER_BYTES = 8;
/** Writes a whole number from 0 to 2^53 - 1. */
function writePosition(bytes: Buffer, at: number, position: number): void {
  bytes.writeUIntBE(Math.floor(position / 2 ** 32), at, 3);
  bytes.writeUInt32BE(position >>> 0, at + 3);
}

/** Undefined for what no position can be. */
function readPosition(bytes: Buffer, at: number): number | undefined {
  const position = bytes.readUIntBE(at, 3) * 2 ** 32 + bytes.readUInt32BE(at + 3);
  return Number.isSafeInteger(position) ? position : undefined;
}

/**
 * Encodes many cursors that differ in the last fields of their payload, the position and what follows it. `constant` is all of the payload
 * before them; header and constant together must be 1 more than a multiple of three bytes, so that only the tail of each text is made anew.
 * `after` is in hexadecimal digits.
 */
function positionEncoder(kind: CursorKind, constant: Uint8Array): (position: number, after?: string) => string {
  const lead = Buffer.concat([header(kind), constant]);
  if (lead.length % 3 !== 1) throw new RangeError('the constant part does not end one byte past a whole group');
  const prefix = lead.toString('base64url', 0, lead.length - 1);
  const crcOfLead = crcOver(lead, 0, lead.length, CRC_START);
  const buffer = Buffer.alloc(1 + POSITION_BYTES + MAX_AFTER_BYTES + CHECKSUM_BYTES);
  buffer[0] = lead[lead.length - 1]!;
  return (position, after = '') => {
    writePosition(buffer, 1, position);
    const end = 1 + POSITION_BYTES + buffer.write(after, 1 + POSITION_BYTES, 'hex');
    const crc = crcFinished(crcOver(buffer, 1, end, crcOfLead));
    buffer.writeUInt32BE(crc, end);
    return prefix + buffer.toString('base64url', 0, end + CHECKSUM_BYTES);
  };
}

/** What a feed cursor may be used with: `nothing` binds it to no filter, `all` to an unfiltered read, a resource to that filter. */
export type FeedBinding = 'nothing' | 'all' | Resource;

export interface FeedCursor {
  readonly feedId: string;
  /** The last feed position that its holder has seen. */
  readonly position: number;
  /** Fingerprint of the history up to the position; null in a cursor of an earlier version. */
  readonly fingerprint: string | null;
  readonly binding: FeedBinding;
}

interface SnapshotPageCursor {
  readonly feedId: string;
  readonly snapshotId: string;
  readonly resource: Resource;
  /** The last feed position on the page before. */
  readonly position: number;
  /** Number of the last erasure that had changed the snapshot's records of this resource then, left out where there was none: all pages are of one reading. */
  readonly erasure?: number;
}

/** Numbers on the wire: cursors outlive releases, so a number is never reused. */
const BINDING_CODES: Readonly<Record<FeedBinding, number>> = {
  nothing: 0,
  all: 1,
  jurisdictions: 2,
  public_bodies: 3,
  sources: 4,
  topics: 5,
  meetings: 6,
  agendas: 7,
  agenda_items: 8,
  agenda_hits: 9,
  documents: 10,
  record_streams: 11,
  stream_records: 12,
};
const BINDINGS = new Map(Object.entries(BINDING_CODES).map(([name, code]) => [code, name as FeedBinding]));

/** Makes the feed cursors of one page; cheap for each further position. */
export function feedCursorEncoder(feedId: string, binding: FeedBinding): (position: number, fingerprint: string | null) => string {
  const encode = positionEncoder('feed', Buffer.concat([uuidBytes(feedId), Uint8Array.of(BINDING_CODES[binding])]));
  return (position, fingerprint) => encode(position, fingerprint ?? '');
}

export const encodeFeedCursor = ({ feedId, binding, position, fingerprint }: FeedCursor): string =>
  feedCursorEncoder(feedId, binding)(position, fingerprint);

/** The cursor, or why the text is none. Never throws; whether feed, binding and position fit is the reader's question. */
export function decodeFeedCursor(text: string): FeedCursor | CursorDamage {
  const payload = cursorPayload('feed', text, MAX_CURSOR_LENGTH);
  if (typeof payload === 'string') return payload;
  const end = UUID_BYTES + 1 + POSITION_BYTES;
  if (payload.length !== end && payload.length !== end + FINGERPRINT_BYTES) return 'damaged';
  const binding = BINDINGS.get(payload[UUID_BYTES]!);
  const position = readPosition(payload, UUID_BYTES + 1);
  if (binding === undefined || position === undefined) return 'damaged';
  const fingerprint = payload.length === end ? null : payload.toString('hex', end);
  return { feedId: uuidText(payload, 0), position, fingerprint, binding };
}

export function encodeSnapshotPageCursor({ feedId, snapshotId, resource, position, erasure }: SnapshotPageCursor): string {
  const numbers = [position, ...(erasure === undefined ? [] : [erasure])];
  const written = Buffer.alloc(numbers.length * POSITION_BYTES);
  for (const [index, number] of numbers.entries()) writePosition(written, index * POSITION_BYTES, number);
  const binding = Uint8Array.of(BINDING_CODES[resource]);
  return cursorText('snapshotPage', Buffer.concat([uuidBytes(feedId), uuidBytes(snapshotId), binding, written]));
}

/** The cursor, or why the text is none. Never throws. */
export function decodeSnapshotPageCursor(text: string): SnapshotPageCursor | CursorDamage {
  const payload = cursorPayload('snapshotPage', text, MAX_CURSOR_LENGTH);
  if (typeof payload === 'string') return payload;
  const plain = 2 * UUID_BYTES + 1 + POSITION_BYTES;
  if (payload.length !== plain && payload.length !== plain + POSITION_BYTES) return 'damaged';
  const resource = BINDINGS.get(payload[2 * UUID_BYTES]!);
  const position = readPosition(payload, 2 * UUID_BYTES + 1);
  const erasure = payload.length === plain ? undefined : readPosition(payload, plain);
  if (payload.length > plain && (erasure === undefined || erasure === 0)) return 'damaged';
  if (resource === undefined || resource === 'nothing' || resource === 'all' || position === undefined) return 'damaged';
  return {
    feedId: uuidText(payload, 0),
    snapshotId: uuidText(payload, UUID_BYTES),
    resource,
    position,
    ...(erasure === undefined ? {} : { erasure }),
  };
}
