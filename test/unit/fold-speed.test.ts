import { expect, test } from 'vitest';
import { speedOf } from '../../queries/operators/processors.ts';
import type { Generation } from '../../domain/ports/generations.ts';

const row = (fields: Partial<Generation>, speed: Partial<Generation['speed']>): Generation =>
  ({
    folded: 0,
    owner: 'somebody',
    operatorPausedAt: null,
    ...fields,
    speed: {
      ownedSince: 0,
      eventsRead: 0,
      windowSince: 0,
      windowFolded: 0,
      windowEventsRead: 0,
      foldRate: null,
      readRate: null,
      ...speed,
    },
  }) as Generation;

test('without measurements there is no rate', () => {
  expect(speedOf(row({}, { windowSince: null }), 99)).toEqual({ rate: null, readRate: null });
  expect(speedOf(row({ folded: 10 }, { eventsRead: 10 }), 100)).toEqual({ rate: null, readRate: null });
});

test('the first interval has a rate while it runs, later intervals once they have ended', () => {
  expect(speedOf(row({ folded: 500 }, { eventsRead: 1000 }), 500)).toEqual({ rate: 1000, readRate: 2000 });
  const rates = { foldRate: 700, readRate: 900, windowFolded: 500, windowEventsRead: 1000, eventsRead: 1001 };
  expect(speedOf(row({ folded: 501 }, rates), 2_500)).toEqual({ rate: 700, readRate: 900 });
});

test('the rate of an interval that does not end falls towards zero', () => {
  const stuck = row(
    { folded: 600 },
    { foldRate: 700, readRate: 900, windowFolded: 500, windowEventsRead: 1000, eventsRead: 1100 },
  );
  expect(speedOf(stuck, 10_000)).toEqual({ rate: 10, readRate: 10 });
  expect(speedOf(stuck, 100_000).rate).toBe(1);
});

test('a paused processor does not move, and without a count of events there is no rate', () => {
  expect(speedOf(row({ operatorPausedAt: 5 }, { foldRate: 700, readRate: 900 }), 100)).toEqual({
    rate: 0,
    readRate: 0,
  });
  expect(speedOf(row({ folded: 5 }, { eventsRead: null, windowEventsRead: null }), 5_000)).toEqual({
    rate: 1,
    readRate: null,
  });
});
