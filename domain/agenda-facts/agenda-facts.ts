import { amountsOf } from './amounts.ts';
import { caseNumbersOf, districtsOf } from './districts-and-cases.ts';
import type { AgendaFacts } from './facts.ts';
import { partiesOf } from './parties.ts';
import { placesOf } from './places.ts';
import { type Reading, tokensOf } from './tokens.ts';

export type * from './facts.ts';

/** Reads the facts of an agenda item from its title and text. Facts that the words do not show for certain are left out. */
export function factsOf({ title, text }: { readonly title: string; readonly text: string | null }): AgendaFacts {
  const readings: Reading[] = [{ field: 'title', source: title, tokens: tokensOf(title) }];
  if (text !== null) readings.push({ field: 'text', source: text, tokens: tokensOf(text) });
  return {
    amounts: readings.flatMap(amountsOf),
    parties: readings.flatMap(partiesOf),
    places: readings.flatMap(placesOf),
    districts: readings.flatMap(districtsOf),
    caseNumbers: readings.flatMap(caseNumbersOf),
  };
}
