import { expect, test } from 'vitest';
import { itemRowsInSteps } from '../../src/sources/agendas/item-rows.ts';
import { eventItemRow } from '../../src/sources/agendas/rows.ts';
import { runAtOnce } from '../../domain/text/steps.ts';

const itemRows = (...args: Parameters<typeof itemRowsInSteps>) => runAtOnce(itemRowsInSteps(...args));

const FILE = { EventItemMatterFile: '26-1' };
const HEARING = { ...FILE, EventItemAgendaSequence: 1, EventItemTitle: 'Hearing on the ordinance' };
const ADOPTION = { ...FILE, EventItemAgendaSequence: 5, EventItemTitle: 'Adopt the ordinance' };

/** The ids of the rows of each item, its head first. */
function idsOf(...rows: readonly object[]): readonly (readonly number[])[] {
  const parsed = rows.map((row, index) => eventItemRow.parse({ EventItemId: index + 1, ...row }));
  return itemRows(parsed).map(({ head, rows: all }) => [
    head.EventItemId,
    ...all.filter((row) => row !== head).map(({ EventItemId }) => EventItemId),
  ]);
}

test('a matter that is listed twice with different titles is two items', () => {
  expect(idsOf(HEARING, ADOPTION)).toEqual([[1], [2]]);
  expect(idsOf(HEARING, { ...ADOPTION, EventItemTitle: ' hearing  on the Ordinance' })).toEqual([[1, 2]]);
});

test.each([{ EventItemTitle: null }, { EventItemAgendaSequence: 0 }, { EventItemAgendaSequence: null }])(
  'a row with %j is an action on the item before it, else on the first one',
  (fields) => {
    const action = { ...FILE, EventItemAgendaSequence: 7, EventItemTitle: 'Amended', ...fields };
    expect(idsOf(HEARING, action, ADOPTION, action)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(idsOf(action, HEARING, ADOPTION)).toEqual([[2, 1], [3]]);
    expect(idsOf(action, action)).toEqual([[1, 2]]);
  },
);

test('an action with an agenda number belongs to the item with that number', () => {
  const action = { ...FILE, EventItemAgendaSequence: 0, EventItemTitle: 'Approved' };
  const numbered = [
    { ...HEARING, EventItemAgendaNumber: '1.' },
    { ...ADOPTION, EventItemAgendaNumber: '9.' },
  ];
  expect(idsOf(...numbered, { ...action, EventItemAgendaNumber: '1.' })).toEqual([[1, 3], [2]]);
  expect(idsOf(...numbered, { ...action, EventItemAgendaNumber: '4.' })).toEqual([[1], [2], [3]]);
});

test('rows with one title and different agenda numbers are different items, also after a row without a number', () => {
  const [first, second] = ['1.', '2.'].map((EventItemAgendaNumber) => ({ ...HEARING, EventItemAgendaNumber }));
  expect(idsOf(first!, second!)).toEqual([[1], [2]]);
  expect(idsOf(HEARING, first!, second!)).toEqual([[1, 2], [3]]);
});

test('rows without a matter file are items of their own', () => {
  const row = { EventItemAgendaSequence: 1, EventItemTitle: 'Minutes' };
  expect(idsOf(row, row)).toEqual([[1], [2]]);
});

test('every row is in exactly one item', () => {
  const rows = [
    HEARING,
    ADOPTION,
    FILE,
    { ...FILE, EventItemAgendaNumber: '2.' },
    {},
    { EventItemTitle: 'Minutes' },
    ADOPTION,
  ];
  const ids = idsOf(...rows).flat();
  expect(ids.toSorted((left, right) => left - right)).toEqual(rows.map((_, index) => index + 1));
});

test('30,000 rows of one matter are grouped in linear time', () => {
  const rows = Array.from({ length: 30_000 }, (_, n) =>
    eventItemRow.parse({ EventItemId: n, ...HEARING, EventItemAgendaNumber: `${n}.` }),
  );
  const begun = performance.now();
  expect(itemRows(rows)).toHaveLength(30_000);
  expect(performance.now() - begun).toBeLessThan(4000);
});
