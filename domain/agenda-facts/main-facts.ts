import type { AgendaFacts, AmountFact, PartyFact, PlaceFact } from './facts.ts';

const cents = (value: number): number => Math.round(value * 100);

/** The one value of the amounts: their only value, or the value that is the sum of the others; null if they compete. */
function oneValue(amounts: readonly AmountFact[]): AmountFact | null {
  const values = [...new Set(amounts.map(({ value }) => cents(value)))];
  const largest = Math.max(...values);
  const sum = values.reduce((total, value) => total + value, 0);
  if (values.length > 1 && sum !== 2 * largest) return null;
  return amounts.find(({ value }) => cents(value) === largest) ?? null;
}

/**
 * The amount that an item decides: what a change adds, else the limit, the total or the revenue. Null if the item has
 * none, or several that compete.
 */
export function mainAmount({ amounts }: AgendaFacts): AmountFact | null {
  for (const field of ['title', 'text'] as const) {
    const own = amounts.filter((amount) => amount.field === field);
    for (const role of ['change', 'not_to_exceed', 'total', 'revenue'] as const) {
      const ofRole = own.filter((amount) => amount.role === role);
      if (ofRole.length > 0) return oneValue(ofRole);
    }
  }
  return null;
}

/** The first party of the title, else of the text. */
export const mainParty = ({ parties }: AgendaFacts): PartyFact | null => parties[0] ?? null;

/** Kinds of places from the most precise one; kinds of a group are equally so. */
const PRECISE_FIRST = [
  ['street_address'],
  ['intersection', 'extent'],
  ['road_segment'],
  ['facility'],
  ['subdivision'],
  ['parcel'],
  ['area'],
  ['zoning_district'],
];
/** A part or a side of a street, in words that only such a place has: "north of", "between". */
const EXTENT = /\b(?:of|between|from)\b/i;

const precisionOf = ({ kind, sourceText }: PlaceFact): string =>
  kind === 'road_segment' && EXTENT.test(sourceText) ? 'extent' : kind;

/** The affected place that is easiest to find on a map: an address before a crossing, a crossing before a lot. */
export function mainPlace({ places }: AgendaFacts): PlaceFact | null {
  for (const field of ['title', 'text'] as const) {
    const affected = places.filter((place) => place.use === 'affected' && place.field === field);
    for (const kinds of PRECISE_FIRST) {
      const place = affected.find((one) => kinds.includes(precisionOf(one)));
      if (place !== undefined) return place;
    }
  }
  return null;
}
