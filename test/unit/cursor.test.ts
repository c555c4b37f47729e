import * as fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  CURSOR_KINDS,
  cursorPayload,
  cursorText,
  decodeFeedCursor,
  decodeSnapshotPageCursor,
  encodeFeedCursor,
  encodeSnapshotPageCursor,
  type FeedBinding,
  feedCursorEncoder,
  type FeedPlace,
  MAX_CURSOR_LENGTH,
} from '../../domain/cursor.ts';
import { RESOURCES } from '../../domain/records/resources.ts';

const uuids = fc.uuid();
const positions = fc.oneof(fc.maxSafeNat(), fc.nat(2000), fc.constant(Number.MAX_SAFE_INTEGER), fc.constant(2 ** 32));
const bindings = fc.constantFrom<FeedBinding>('nothing', 'all', ...RESOURCES);
const resources = fc.constantFrom(...RESOURCES);
/** Null for cursors that an earlier version made. */
const fingerprints = fc.option(
  fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('hex')),
);
const feedCursors = fc.record({ feedId: uuids, position: positions, fingerprint: fingerprints, binding: bindings });
const pageCursors = fc.record({ feedId: uuids, snapshotId: uuids, resource: resources, position: positions });
const characters = fc.constantFrom(
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n\u00e9'.split(''),
);

describe('a feed cursor', () => {
  test('decodes to its values', () => {
    fc.assert(
      fc.property(feedCursors, (cursor) => {
        expect(decodeFeedCursor(encodeFeedCursor(cursor))).toEqual(cursor);
      }),
    );
  });

  test('has one text for one value, whichever page made it', () => {
    fc.assert(
      fc.property(feedCursors, fc.array(positions), (cursor, others) => {
        const encode = feedCursorEncoder(cursor.feedId, cursor.binding);
        const places = others.map((other, index): FeedPlace => [other, index % 2 === 0 ? null : 'ff'.repeat(8)]);
        const texts = [...places, [cursor.position, cursor.fingerprint] as const].map(([position, fingerprint]) =>
          encodeFeedCursor({ ...cursor, position, fingerprint }),
        );
        expect(encode([...places, [cursor.position, cursor.fingerprint]])).toEqual(texts);
      }),
    );
  });

  test('is the shared text form of its payload, closed by the standard CRC-32', () => {
    fc.assert(
      fc.property(feedCursors, (cursor) => {
        const bytes = Buffer.from(encodeFeedCursor(cursor), 'base64url');
        expect(bytes.readUInt32BE(bytes.length - 4)).toBe(crc32(bytes.subarray(0, -4)));
        expect(cursorText('feed', bytes.subarray(2, -4))).toBe(encodeFeedCursor(cursor));
      }),
    );
  });

  test('differs whenever feed, position, fingerprint or binding differ', () => {
    fc.assert(
      fc.property(feedCursors, feedCursors, (left, right) => {
        fc.pre(JSON.stringify(left) !== JSON.stringify(right));
        expect(encodeFeedCursor(left)).not.toBe(encodeFeedCursor(right));
      }),
    );
  });

  test('with any one character changed, added or left out is damaged', () => {
    fc.assert(
      fc.property(feedCursors, fc.nat(), characters, (cursor, where, character) => {
        const text = encodeFeedCursor(cursor);
        const at = where % text.length;
        fc.pre(text.charAt(at) !== character);
        expect(decodeFeedCursor(text.slice(0, at) + character + text.slice(at + 1))).toBe('damaged');
        expect(decodeFeedCursor(text.slice(0, at) + character + text.slice(at))).toBe('damaged');
        expect(decodeFeedCursor(text.slice(0, at) + text.slice(at + 1))).toBe('damaged');
      }),
    );
  });

  test('contains the same number of a binding in every release', () => {
    const numberOf = (binding: FeedBinding) =>
      Buffer.from(
        encodeFeedCursor({ feedId: crypto.randomUUID(), position: 1, fingerprint: null, binding }),
        'base64url',
      )[18];
    expect(
      Object.fromEntries((['nothing', 'all', ...RESOURCES] as const).map((binding) => [binding, numberOf(binding)])),
    ).toEqual({
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
    });
  });

  test('is not decoded from random text, and no text makes decoding throw', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.string({ minLength: 600, maxLength: 700 }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(decodeFeedCursor(text)).toBe('damaged');
        expect(decodeSnapshotPageCursor(text)).toBe('damaged');
      }),
    );
  });

  test('with a valid checksum over an unknown version, binding, length or a position beyond 2^53 is damaged', () => {
    const payload = Buffer.from(
      encodeFeedCursor({ feedId: crypto.randomUUID(), position: 7, fingerprint: null, binding: 'all' }),
      'base64url',
    ).subarray(2, -4);
    const changed = (at: number, byte: number) => cursorText('feed', Buffer.from(payload).fill(byte, at, at + 1));
    expect(decodeFeedCursor(changed(16, 13))).toBe('damaged');
    expect(decodeFeedCursor(changed(17, 0xff))).toBe('damaged');
    expect(decodeFeedCursor(cursorText('feed', payload.subarray(1)))).toBe('damaged');
    expect(decodeFeedCursor(cursorText('feed', Buffer.alloc(0)))).toBe('damaged');
    const otherVersion = Buffer.from(cursorText('feed', payload), 'base64url');
    otherVersion[0] = 2;
    otherVersion.writeUInt32BE(crc32(otherVersion.subarray(0, -4)), otherVersion.length - 4);
    expect(decodeFeedCursor(otherVersion.toString('base64url'))).toBe('damaged');
  });
});

describe('a snapshot-page cursor', () => {
  test('decodes to its values and has at most 512 characters', () => {
    fc.assert(
      fc.property(pageCursors, (cursor) => {
        const text = encodeSnapshotPageCursor(cursor);
        expect(decodeSnapshotPageCursor(text)).toEqual(cursor);
        expect(text.length).toBeLessThanOrEqual(MAX_CURSOR_LENGTH);
      }),
    );
  });

  test('with any one character changed is damaged', () => {
    fc.assert(
      fc.property(pageCursors, fc.nat(), characters, (cursor, where, character) => {
        const text = encodeSnapshotPageCursor(cursor);
        const at = where % text.length;
        fc.pre(text.charAt(at) !== character);
        expect(decodeSnapshotPageCursor(text.slice(0, at) + character + text.slice(at + 1))).toBe('damaged');
      }),
    );
  });
});

describe('a cursor of another kind', () => {
  test('is distinguished from a damaged one, for every pair of kinds', () => {
    for (const kind of Object.keys(CURSOR_KINDS) as (keyof typeof CURSOR_KINDS)[]) {
      const text = cursorText(kind, Buffer.alloc(24));
      if (kind !== 'feed') expect(decodeFeedCursor(text)).toBe('other kind');
      if (kind !== 'snapshotPage') expect(decodeSnapshotPageCursor(text)).toBe('other kind');
      expect(cursorPayload(kind, text, MAX_CURSOR_LENGTH)).toEqual(Buffer.alloc(24));
    }
  });

  test('over the allowed length is damaged, even if well formed', () => {
    expect(cursorPayload('coverage', cursorText('coverage', Buffer.alloc(379)), MAX_CURSOR_LENGTH)).toBe('damaged');
    expect(cursorPayload('coverage', cursorText('coverage', Buffer.alloc(378)), MAX_CURSOR_LENGTH)).toEqual(
      Buffer.alloc(378),
    );
  });
});
