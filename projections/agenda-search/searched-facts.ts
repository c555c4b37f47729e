import { mainAmount } from '../../domain/agenda-facts/main-facts.ts';
import type { RecordData } from '../../domain/records/resources.ts';

type Item = Pick<RecordData<'agenda_items'>, 'amounts' | 'districts'>;

/** Returns the whole dollars that an item is about: its main amount, or the largest of several; null without one. */
export function searchedAmount({ amounts = [] }: Item): number | null {
  const dollars = amounts.flatMap((amount) =>
    amount.currency === 'USD' ? { ...amount, currency: 'USD' as const } : [],
  );
  const main = mainAmount({ amounts: dollars, parties: [], places: [], districts: [], caseNumbers: [] });
  const values = dollars.filter(({ role }) => role !== 'per_unit').map(({ value }) => value);
  if (main === null && values.length === 0) return null;
  const dollarsOnly = Math.floor(main?.value ?? Math.max(...values));
  return Math.min(Math.max(dollarsOnly, 0), Number.MAX_SAFE_INTEGER);
}

/** Returns the districts that elect members of the body and that the item names, in lower case: "7", "a". */
export const searchedDistricts = ({ districts = [] }: Item): readonly string[] => [
  // A comma would end the mark.
  ...new Set(districts.map(({ district }) => district.replaceAll(',', ' ').toLowerCase())),
];
