import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { FINGERPRINT_BYTES } from './digests.ts';
import { type Resource, RESOURCES } from './records/resource-names.ts';

/**
 * A cursor is base64url of version, kind, payload and checksum. Each value has exactly one text. The checksum is not a
 * secret: a cursor authorizes nothing.
 */
export const CURSOR_KINDS = { feed: 1, snapshotPage: 2, coverage: 3, upcoming: 4, search: 5 } as const;
export type CursorKind = keyof typeof CURSOR_KINDS;

/** Feed and snapshot-page cursors, in characters. */
export const MAX_CURSOR_LENGTH = 512;
const VERSION = 1;
const HEADER_BYTES = 2;
const CHECKSUM_BYTES = 4;

export type CursorDamage = 'damaged' | 'other kind';

const header = (kind: CursorKind): Uint8Array => Uint8Array.of(VERSION, CURSOR_KINDS[kind]);

export function cursorText(kind: CursorKind, payload: Uint8Array): string {
  const bytes = Buffer.concat([header(kind), payload, Buffer.alloc(CHECKSUM_BYTES)]);
  const end = bytes.length - CHECKSUM_BYTES;
  bytes.writeUInt32BE(crc32(bytes.subarray(0, end)), end);
  return bytes.toString('base64url');
}

/** The kind of a valid cursor, or undefined for any other text. Throws for a value that is not a string. */
export function cursorKind(text: string, maxLength: number): CursorKind | undefined {
  const bytes = cursorBytes(text, maxLength);
  return bytes === undefined
    ? undefined
    : (Object.keys(CURSOR_KINDS) as CursorKind[]).find((kind) => CURSOR_KINDS[kind] === bytes[1]);
}

function cursorBytes(text: string, maxLength: number): Buffer | undefined {
  if (text.length > maxLength) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const end = bytes.length - CHECKSUM_BYTES;
  // `Buffer.from` skips unknown characters, so the bytes must encode to the same text.
  if (end < HEADER_BYTES || bytes.toString('base64url') !== text) return undefined;
  return bytes.readUInt32BE(end) === crc32(bytes.subarray(0, end)) && bytes[0] === VERSION ? bytes : undefined;
}

/**
 * The payload of a cursor of the expected kind, or the reason why there is none. Throws for a value that is not a
 * string.
 */
export function cursorPayload(kind: CursorKind, text: string, maxLength: number): Buffer | CursorDamage {
  const bytes = cursorBytes(text, maxLength);
  if (bytes === undefined) return 'damaged';
  return bytes[1] === CURSOR_KINDS[kind] ? bytes.subarray(HEADER_BYTES, bytes.length - CHECKSUM_BYTES) : 'other kind';
}

interface Field<Value> {
  readonly bytes: number;
  readonly write: (payload: Buffer, value: Value, at: number) => unknown;
  /** Reads the value; undefined for bytes that encode no value. */
  readonly read: (payload: Buffer, at: number) => Value | undefined;
  /** The value if the payload ends before this field, which must be the last. */
  readonly absent?: readonly [null | undefined];
}

const hexadecimal = (bytes: number): Field<string> => ({
  bytes,
  write: (payload, value, at) => payload.write(value, at, 'hex'),
  read: (payload, at) => payload.toString('hex', at, at + bytes),
});

const uuid: Field<string> = {
  bytes: 16,
  write: (payload, value, at) => payload.write(value.replaceAll('-', ''), at, 'hex'),
  read: (payload, at) =>
    payload.toString('hex', at, at + 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
};

/** The largest distance of a `Date` from the epoch. */
const FURTHEST_MS = 8_640_000_000_000_000n;
const time: Field<number> = {
  bytes: 8,
  write: (payload, value, at) => payload.writeBigInt64BE(BigInt(value), at),
  read: (payload, at) => {
    const value = payload.readBigInt64BE(at);
    return value > FURTHEST_MS || value < -FURTHEST_MS ? undefined : Number(value);
  },
};

/** A whole number from 0 to 2^53 - 1. */
const position: Field<number> = {
  bytes: 7,
  write: (payload, value, at) => {
    payload.writeUIntBE(Math.floor(value / 2 ** 32), at, 3);
    payload.writeUInt32BE(value >>> 0, at + 3);
  },
  read: (payload, at) => {
    const value = payload.readUIntBE(at, 3) * 2 ** 32 + payload.readUInt32BE(at + 3);
    return Number.isSafeInteger(value) ? value : undefined;
  },
};

const oneOf = <Name extends string>(names: readonly Name[], numberOfFirst: number): Field<Name> => ({
  bytes: 1,
  write: (payload, name, at) => payload.writeUInt8(numberOfFirst + names.indexOf(name), at),
  read: (payload, at) => names[payload.readUInt8(at) - numberOfFirst],
});

type Fields<Cursor> = { readonly [Name in keyof Cursor]-?: Field<NonNullable<Cursor[Name]>> };

function cursorCodec<Cursor extends object>(kind: CursorKind, fields: Fields<Cursor>, maxLength = MAX_CURSOR_LENGTH) {
  const entries = Object.entries(fields) as [keyof Cursor & string, Field<unknown>][];
  const encode = (cursor: Cursor): string => {
    const parts = entries.map(([name, field]) => {
      const value = cursor[name];
      const part = Buffer.alloc(value == null ? 0 : field.bytes);
      if (value != null) field.write(part, value, 0);
      return part;
    });
    return cursorText(kind, Buffer.concat(parts));
  };
  /** Never throws. The reader checks whether the values fit. */
  const decode = (text: string): Cursor | CursorDamage => {
    const payload = cursorPayload(kind, text, maxLength);
    if (typeof payload === 'string') return payload;
    const cursor: Record<string, unknown> = {};
    let at = 0;
    for (const [name, { bytes, read, absent }] of entries) {
      if (absent !== undefined && at === payload.length) {
        cursor[name] = absent[0];
        continue;
      }
      const value = at + bytes <= payload.length ? read(payload, at) : undefined;
      if (value === undefined) return 'damaged';
      cursor[name] = value;
      at += bytes;
    }
    return at === payload.length ? (cursor as Cursor) : 'damaged';
  };
  return { encode, decode };
}

/**
 * The filter that a feed cursor belongs to: `nothing` fits every filter, `all` an unfiltered read, a resource only that
 * filter.
 */
export type FeedBinding = 'nothing' | 'all' | Resource;

/** A cursor contains the index, and cursors outlive releases: names are only appended. */
const BINDINGS: readonly FeedBinding[] = ['nothing', 'all', ...RESOURCES];

export interface FeedCursor {
  readonly feedId: string;
  readonly position: number;
  /** Fingerprint of the history up to the position; null in a cursor of an earlier version. */
  readonly fingerprint: string | null;
  readonly binding: FeedBinding;
}

export const { encode: encodeFeedCursor, decode: decodeFeedCursor } = cursorCodec<FeedCursor>('feed', {
  feedId: uuid,
  binding: oneOf(BINDINGS, 0),
  position,
  fingerprint: { ...hexadecimal(FINGERPRINT_BYTES), absent: [null] },
});

/** Target of a feed cursor: its position and the fingerprint of the history up to it. */
export type FeedPlace = readonly [position: number, fingerprint: string | null];

/** Bytes of a place in a cursor, rounded up to whole groups of base64url. */
const SLOT_BYTES = 21;
const GROUP_BYTES = 3;
const GROUP_CHARACTERS = 4;

/**
 * Encodes many positions of one feed: their texts differ only after 18 constant bytes, so only the ends are encoded per
 * position.
 */
export function feedCursorEncoder(
  feedId: string,
  binding: FeedBinding,
): (places: readonly FeedPlace[]) => readonly string[] {
  const constant = Buffer.from(
    encodeFeedCursor({ feedId, binding, position: 0, fingerprint: null }),
    'base64url',
  ).subarray(0, 19);
  const prefix = constant.toString('base64url', 0, 18);
  const crcOfConstant = crc32(constant);
  return (places) => {
    const slots = Buffer.alloc(SLOT_BYTES * places.length);
    const lengths = places.map(([feedPosition, fingerprint], index) => {
      const start = SLOT_BYTES * index;
      slots[start] = constant[18]!;
      position.write(slots, feedPosition, start + 1);
      const fingerprintAt = start + 1 + position.bytes;
      const end = fingerprintAt + slots.write(fingerprint ?? '', fingerprintAt, 'hex');
      slots.writeUInt32BE(crc32(slots.subarray(start + 1, end), crcOfConstant), end);
      return end + CHECKSUM_BYTES - start;
    });
    const texts = slots.toString('base64url');
    return lengths.map((length, index) => {
      const start = (SLOT_BYTES / GROUP_BYTES) * GROUP_CHARACTERS * index;
      return prefix + texts.slice(start, start + Math.ceil((length * GROUP_CHARACTERS) / GROUP_BYTES));
    });
  };
}

interface SnapshotPageCursor {
  readonly feedId: string;
  readonly snapshotId: string;
  readonly resource: Resource;
  readonly position: number;
  /**
   * Number of the last erasure that had changed these records; absent without one. It ensures that all pages show one
   * state.
   */
  readonly erasure?: number;
}

export const { encode: encodeSnapshotPageCursor, decode: decodeSnapshotPageCursor } = cursorCodec<SnapshotPageCursor>(
  'snapshotPage',
  {
    feedId: uuid,
    snapshotId: uuid,
    resource: oneOf(RESOURCES, BINDINGS.indexOf(RESOURCES[0])),
    position,
    erasure: { ...position, read: (payload, at) => position.read(payload, at) || undefined, absent: [undefined] },
  },
);

/** The search that a cursor belongs to. The page size may change. */
export interface SearchBinding {
  readonly query: string;
  readonly jurisdictionSlug: string | null;
  readonly topicSlug: string | null;
  readonly fromDate: string | null;
  readonly toDate: string | null;
}

/** The last item on the page before, by the order of the search that found it. */
export interface SearchCursor {
  /**
   * Number of the query that found the item: 0 requires all words, higher numbers are more lenient. The first page
   * decides it for all pages.
   */
  readonly leniency: number;
  readonly rank: number;
  /** Milliseconds since the epoch. */
  readonly startsAt: number;
  readonly itemId: string;
  /**
   * Local day of the first page, in days from 1970-01-01: "next week" means the same days on all pages. Null in a
   * cursor of an earlier version, whose rank has another scale.
   */
  readonly firstPageDay: number | null;
}

export class InvalidSearchCursor extends Error {
  override readonly name = 'InvalidSearchCursor';
  readonly code = 'invalid_cursor';
}

const BINDING_BYTES = 16;

const digestOf = ({ query, jurisdictionSlug, topicSlug, fromDate, toDate }: SearchBinding): string =>
  hash('sha256', JSON.stringify([query, jurisdictionSlug, topicSlug, fromDate, toDate])).slice(0, 2 * BINDING_BYTES);

const codec = cursorCodec<SearchCursor & { readonly binding: string }>('search', {
  binding: hexadecimal(BINDING_BYTES),
  leniency: {
    bytes: 1,
    write: (payload, value, at) => payload.writeUInt8(value, at),
    read: (payload, at) => payload.readUInt8(at),
  },
  rank: {
    bytes: 4,
    write: (payload, value, at) => payload.writeInt32BE(value, at),
    read: (payload, at) => payload.readInt32BE(at),
  },
  startsAt: time,
  itemId: uuid,
  firstPageDay: {
    bytes: 4,
    write: (payload, value, at) => payload.writeInt32BE(value, at),
    read: (payload, at) => payload.readInt32BE(at),
    absent: [null],
  },
});

export const encodeSearchCursor = (binding: SearchBinding, cursor: SearchCursor): string =>
  codec.encode({ ...cursor, binding: digestOf(binding) });

/** Throws `InvalidSearchCursor`, which the tools answer as `invalid_cursor`. */
export function decodeSearchCursor(expected: SearchBinding, text: string): SearchCursor {
  const decoded = codec.decode(text);
  if (decoded === 'other kind') throw new InvalidSearchCursor('the cursor is not a search cursor');
  if (decoded === 'damaged') throw new InvalidSearchCursor('the cursor does not decode');
  const { binding, ...cursor } = decoded;
  if (binding !== digestOf(expected))
    throw new InvalidSearchCursor('the cursor belongs to another query or to other filters');
  return cursor;
}

export const UPCOMING_PAGE_SIZE = 10;
/** Length in characters. */
export const MAX_UPCOMING_CURSOR_LENGTH = 200;

/**
 * The last hit on the previous page, in the order of the upcoming list. Not bound to a filter. Times are milliseconds
 * since the epoch.
 */
export interface UpcomingCursor {
  readonly startsAt: number;
  readonly classifiedAt: number;
  readonly hitId: string;
}

export const { encode: encodeUpcomingCursor, decode: decodeUpcomingCursor } = cursorCodec<UpcomingCursor>(
  'upcoming',
  { startsAt: time, classifiedAt: time, hitId: uuid },
  MAX_UPCOMING_CURSOR_LENGTH,
);
