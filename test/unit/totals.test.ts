import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Totals } from '../../projections/record-history/history-rows.ts';
import { EMPTY_DIGEST, recordDigest } from '../../domain/digests.ts';

const digest = (number: number): string => recordDigest('topics', String(number), `{"n":${number}}`);

test('adding and removing records in any order gives the totals of the remaining records', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50), { minLength: 1 }), fc.integer(), (numbers, seed) => {
      const remaining = numbers.filter((number) => (number + seed) % 3 !== 0);
      const removed = numbers.filter((number) => (number + seed) % 3 === 0);
      const [all, direct] = [new Totals(), new Totals()];
      // A record may be removed before another is added: the sum passes through zero and below.
      for (const number of removed) all.remove('topics', digest(number));
      for (const number of numbers) all.add('topics', digest(number));
      for (const number of remaining.toReversed()) direct.add('topics', digest(number));
      if (remaining.length > 0) expect(all.touched()).toEqual(direct.touched());
      else expect(all.touched()).toEqual([{ resource: 'topics', records: 0, digest: EMPTY_DIGEST }]);
    }),
  );
});

test('totals continue from the stored ones, and only changed totals are written', () => {
  const first = new Totals();
  for (const number of [1, 2, 3]) first.add('topics', digest(number));
  const [stored] = first.touched();
  const second = new Totals([{ resource: 'meetings', records: 7, digest: digest(9) }, stored!]);
  second.remove('topics', digest(2));
  const direct = new Totals();
  for (const number of [3, 1]) direct.add('topics', digest(number));
  expect(second.touched()).toEqual(direct.touched());
});

test('a digest has 64 digits, also if it begins with zeros', () => {
  const totals = new Totals();
  totals.add('topics', '00'.repeat(31).padEnd(64, '0a'));
  expect(totals.touched()[0]!.digest).toBe('00'.repeat(31).padEnd(64, '0a'));
});
