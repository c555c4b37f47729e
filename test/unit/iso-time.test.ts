import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTimeOf } from '../../domain/iso-time.ts';

const LAST_TIME = 8.64e15;
const any = fc.integer({ min: -LAST_TIME, max: LAST_TIME });
const near = fc.integer({ min: Date.UTC(2026, 1, 27), max: Date.UTC(2026, 2, 2) });

test('a time is written as Date writes it, in every year and whatever was written before', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(any, near)), (times) => {
      expect(times.map(isoTimeOf)).toEqual(times.map((time) => new Date(time).toISOString()));
    }),
  );
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 2 * LAST_TIME])('%s is not a time', (milliseconds) => {
  expect(() => isoTimeOf(milliseconds)).toThrow(RangeError);
});
