import { amountsOf } from '../../domain/agenda-facts/amounts.ts';
import { districtsOf } from '../../domain/agenda-facts/districts-and-cases.ts';
import type { AmountFact } from '../../domain/agenda-facts/facts.ts';
import { mainAmount } from '../../domain/agenda-facts/main-facts.ts';
import { type Reading, readingOf } from '../../domain/agenda-facts/tokens.ts';
import type { RecordData } from '../../domain/records/resources.ts';

type Item = Pick<RecordData<'agenda_items'>, 'title' | 'text'>;

/** Characters of each field that are read for facts: reading takes half a microsecond for each. */
const READ_LENGTH = 4_000;
const MONEY = /\$|\bdollars\b/i;
const DISTRICT = /\b(?:districts?|precincts?|wards?|cd)\b/i;

const readingsOf = ({ title, text }: Item, words: RegExp): readonly Reading[] =>
  Object.entries({ title, text: text ?? '' }).flatMap(([field, value]) => {
    const part = value.slice(0, READ_LENGTH);
    return words.test(part) ? [readingOf(field as 'title' | 'text', part)] : [];
  });

/** Returns the whole dollars that an item is about: its main amount, or the largest of several; null without one. */
export function searchedAmount(item: Item): number | null {
  const amounts = readingsOf(item, MONEY).flatMap((reading) => amountsOf(reading));
  const totals = amounts.filter(({ role }) => role !== 'per_unit');
  const amount = mainAmount({ amounts, parties: [], places: [], districts: [], caseNumbers: [] }) ?? largest(totals);
  return amount === null ? null : Math.floor(amount.value);
}

const largest = (amounts: readonly AmountFact[]): AmountFact | null =>
  amounts.toSorted((left, right) => right.value - left.value)[0] ?? null;

/** Returns the districts that elect members of the body and that the item names: "7", "A". */
export const searchedDistricts = (item: Item): readonly string[] => [
  ...new Set(
    readingsOf(item, DISTRICT)
      .flatMap((reading) => districtsOf(reading))
      .map(({ district }) => district),
  ),
];
