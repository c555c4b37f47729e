import { expect, test } from 'vitest';
import { runAtOnce } from '../../domain/text/steps.ts';
import { itemIdsInSteps } from '../../src/sources/agendas/files/item-ids.ts';

const items = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [, number, title] = /^\s*([\w.]+|-)\s(.*)$/.exec(line)!;
      return { number: number === '-' ? null : number!, title: title! };
    });

const idsOf = (agenda: readonly { number: string | null; title: string }[], earlier: typeof agenda = []) => {
  const before = runAtOnce(itemIdsInSteps(7, earlier, []));
  return {
    before,
    after: runAtOnce(
      itemIdsInSteps(
        7,
        agenda,
        earlier.map((item, index) => ({ ...item, itemId: before[index]! })),
      ),
    ),
  };
};

const AGENDA = `
  1 Call to order
  2 Consider and approve the minutes of September 2
  3 Consider a burn ban order for the unincorporated area
  4 Adjourn`;

/** Compares a revision with `AGENDA`: the index that each of its items had, -1 for a new one. */
function indexesBefore(revision: string, earlier = AGENDA): readonly number[] {
  const { before, after } = idsOf(items(revision), items(earlier));
  expect(new Set(after).size).toBe(after.length);
  return after.map((id) => before.indexOf(id));
}

test('a first version has the same ids each time, and another event has others', () => {
  const ids = idsOf(items(AGENDA)).after;
  expect(new Set(ids).size).toBe(4);
  expect(ids.every((id) => Number.isSafeInteger(id) && id >= 0)).toBe(true);
  expect(idsOf(items(AGENDA)).after).toEqual(ids);
  expect(runAtOnce(itemIdsInSteps(8, items(AGENDA), [])).filter((id) => ids.includes(id))).toEqual([]);
});

test('items that are renumbered by a new one keep their ids', () => {
  const revision = `
    1 Call to order
    2 Public comment
    3 Consider and approve the minutes of September 2
    4 Consider a burn ban order for the unincorporated area
    5 Adjourn`;
  expect(indexesBefore(revision)).toEqual([0, -1, 1, 2, 3]);
});

test.each([
  ['a word that is added', '3 Discuss and consider a burn ban order for the unincorporated area', 2],
  ['other capitals and marks', '3 CONSIDER A BURN-BAN ORDER, FOR THE UNINCORPORATED AREA.', 2],
  ['a typing error in a short title', '4 Adjoun', 3],
  ['a number and a word that change', '9 Consider burn ban order for the unincorporated area', 2],
  ['another matter under its number', '3 Proclamation for National Library Week', -1],
  ['another matter in the usual words', '3 Consider and approve a contract for road oil', -1],
])('after %s', (_, line, index) => expect(indexesBefore(line)).toEqual([index]));

test('a removed item has no id, and its id is not reused', () => {
  const { before, after } = idsOf(items('1 Call to order\n2 Proclamation for library week\n3 Adjourn'), items(AGENDA));
  expect(after.map((id) => before.indexOf(id))).toEqual([0, -1, 3]);
});

test('the half of a split item that is most like it keeps its id', () => {
  const split = `
    3.A Consider a burn ban
    3.B Consider a burn ban order for the unincorporated areas`;
  expect(indexesBefore(split)).toEqual([-1, 2]);
});

test('items with the same title keep their ids by number, then by order', () => {
  const earlier = '1 Executive session\n5 Executive session\n8 Executive session';
  expect(indexesBefore('5 Executive session\n1 Executive session\n8 Executive session', earlier)).toEqual([1, 0, 2]);
  expect(indexesBefore('2 Executive session\n6 Executive session', earlier)).toEqual([0, 1]);
  expect(
    indexesBefore('- Executive session\n- Executive session\n- Executive session\n- Executive session', earlier),
  ).toEqual([0, 1, 2, -1]);
});

test('3,000 items that all differ are compared in two seconds of processor time', () => {
  const many = (word: string) =>
    Array.from({ length: 3_000 }, (_, nth) => ({
      number: `${nth}`,
      title: `${word} ${nth} ${'word '.repeat(50)}${nth * 7}`,
    }));
  const begun = process.threadCpuUsage();
  expect(idsOf(many('one'), many('other')).after).toHaveLength(3_000);
  expect(process.threadCpuUsage(begun).user).toBeLessThan(2_000_000);
});
