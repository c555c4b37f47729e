import { expect, test } from 'vitest';
import { speedOf } from '../../queries/operators/list-projections.ts';
import type { Generation } from '../../domain/ports/generations.ts';

const row = (fields: Partial<Generation>, speed: Partial<Generation['speed']>): Generation =>
  ({
    folded: 0,
    owner: 'somebody',
    operatorPausedAt: null,
    ...fields,
    speed: { ownedSince: 0, place: 0, stretchAt: 0, stretchFolded: 0, stretchPlace: 0, foldRate: null, pace: null, ...speed },
  }) as Generation;

test('without measurements there is no rate', () => {
  expect(speedOf(row({}, { stretchAt: null }), 99)).toEqual({ rate: null, pace: null });
  expect(speedOf(row({ folded: 10 }, { place: 10 }), 100)).toEqual({ rate: null, pace: null });
});

test('the first interval has a rate while it runs, later intervals once they have ended', () => {
  expect(speedOf(row({ folded: 500 }, { place: 1000 }), 500)).toEqual({ rate: 1000, pace: 2000 });
  const known = { foldRate: 700, pace: 900, stretchFolded: 500, stretchPlace: 1000, place: 1001 };
  expect(speedOf(row({ folded: 501 }, known), 2_500)).toEqual({ rate: 700, pace: 900 });
});

test('the rate of an interval that does not end falls towards zero', () => {
  const stuck = row({ folded: 600 }, { foldRate: 700, pace: 900, stretchFolded: 500, stretchPlace: 1000, place: 1100 });
  expect(speedOf(stuck, 10_000)).toEqual({ rate: 10, pace: 10 });
  expect(speedOf(stuck, 100_000).rate).toBe(1);
});

test('a paused processor does not move, and without a count of events there is no rate', () => {
  expect(speedOf(row({ operatorPausedAt: 5 }, { foldRate: 700, pace: 900 }), 100)).toEqual({ rate: 0, pace: 0 });
  expect(speedOf(row({ folded: 5 }, { place: null, stretchPlace: null }), 5_000)).toEqual({ rate: 1, pace: null });
});
