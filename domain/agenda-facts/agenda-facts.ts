import { amountsOf } from './amounts.ts';
import { caseNumbersOf, districtsOf } from './districts-and-cases.ts';
import type { AgendaFacts, PartyFact, PlaceFact } from './facts.ts';
import { partiesOf } from './parties.ts';
import { placesOf } from './places.ts';
import { readingOf } from './tokens.ts';

export type * from './facts.ts';

/** True if a place is the name, or a part of the name, of a party: "an agreement with Sample Park". */
const isParty = (place: PlaceFact, parties: readonly PartyFact[]): boolean =>
  place.kind === 'facility' &&
  parties.some(
    ({ field, offset, sourceText }) =>
      field === place.field &&
      offset <= place.offset &&
      place.offset + place.sourceText.length <= offset + sourceText.length,
  );

/** Reads the facts of an agenda item from its title and text. Doubtful facts are left out. */
export function factsOf({ title, text }: { readonly title: string; readonly text: string | null }): AgendaFacts {
  const readings = [readingOf('title', title)];
  if (text !== null) readings.push(readingOf('text', text));
  const parties = readings.flatMap(partiesOf);
  return {
    amounts: readings.flatMap(amountsOf),
    parties,
    places: readings.flatMap(placesOf).filter((place) => !isParty(place, parties)),
    districts: readings.flatMap(districtsOf),
    caseNumbers: readings.flatMap(caseNumbersOf),
  };
}
