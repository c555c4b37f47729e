import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cursorText, decodeUpcomingCursor, encodeFeedCursor, encodeUpcomingCursor } from '../../domain/cursor.ts';

const FURTHEST = 8_640_000_000_000_000;
const times = fc.oneof(fc.integer({ min: -FURTHEST, max: FURTHEST }), fc.constantFrom(0, FURTHEST, -FURTHEST));
const cursors = fc.record({ startsAt: times, classifiedAt: times, hitId: fc.uuid() });

describe('an upcoming cursor', () => {
  test('decodes to its values and has at most 200 characters', () => {
    fc.assert(
      fc.property(cursors, (cursor) => {
        const text = encodeUpcomingCursor(cursor);
        expect(text.length).toBeLessThanOrEqual(200);
        expect(decodeUpcomingCursor(text)).toEqual(cursor);
      }),
    );
  });

  test('differs if any of its parts differs', () => {
    fc.assert(
      fc.property(cursors, cursors, (left, right) => {
        fc.pre(JSON.stringify(left) !== JSON.stringify(right));
        expect(encodeUpcomingCursor(left)).not.toBe(encodeUpcomingCursor(right));
      }),
    );
  });

  test('is refused if a character of it was changed, removed or added', () => {
    fc.assert(
      fc.property(cursors, fc.nat(60), fc.constantFrom('', 'A', 'AA', '=', '\u00e9'), (cursor, at, inserted) => {
        const text = encodeUpcomingCursor(cursor);
        const broken = text.slice(0, at) + inserted + text.slice(at + 1);
        fc.pre(broken !== text);
        expect(decodeUpcomingCursor(broken)).toBe('damaged');
      }),
    );
  });

  test('of another kind is distinguished from a damaged one', () => {
    const feed = encodeFeedCursor({
      feedId: '00000000-0000-4000-8000-000000000000',
      position: 1,
      fingerprint: null,
      binding: 'all',
    });
    expect(decodeUpcomingCursor(feed)).toBe('other kind');
  });

  test('is damaged if its payload is not a cursor: too short, too long, or an invalid time', () => {
    const time = Buffer.alloc(32);
    time.writeBigInt64BE(BigInt(FURTHEST) + 1n, 8);
    for (const payload of [Buffer.alloc(31), Buffer.alloc(33), time, Buffer.alloc(400)]) {
      expect(decodeUpcomingCursor(cursorText('upcoming', payload))).toBe('damaged');
    }
  });
});
