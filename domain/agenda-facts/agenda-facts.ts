import { amountsOf } from './amounts.ts';
import { caseNumbersOf, districtsOf } from './districts-and-cases.ts';
import type { AgendaFacts } from './facts.ts';
import { partiesOf } from './parties.ts';
import { placesOf } from './places.ts';
import { readingOf } from './tokens.ts';

export type * from './facts.ts';

/** Reads the facts of an agenda item from its title and text. Doubtful facts are left out. */
export function factsOf({ title, text }: { readonly title: string; readonly text: string | null }): AgendaFacts {
  const readings = [readingOf('title', title)];
  if (text !== null) readings.push(readingOf('text', text));
  return {
    amounts: readings.flatMap(amountsOf),
    parties: readings.flatMap(partiesOf),
    places: readings.flatMap(placesOf),
    districts: readings.flatMap(districtsOf),
    caseNumbers: readings.flatMap(caseNumbersOf),
  };
}
