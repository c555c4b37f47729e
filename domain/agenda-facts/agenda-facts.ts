import { amountsOf } from './amounts.ts';
import { caseNumbersOf, districtsOf } from './districts-and-cases.ts';
import type { AgendaFacts } from './facts.ts';
import { partiesOf } from './parties.ts';
import { placesOf } from './places.ts';
import { type Reading, type Token, tokensOf } from './tokens.ts';

export type * from './facts.ts';

const SOURCES_OF_MONEY = new Set(['financing', 'funding', 'fund', 'source', 'sources']);

/** The tokens before "Financing: General Fund ($1,000)", which names no new fact. */
function withoutFinancing(tokens: readonly Token[]): readonly Token[] {
  const end = tokens.findIndex(({ word }, at) => SOURCES_OF_MONEY.has(word) && tokens[at + 1]?.text === ':');
  return end < 0 ? tokens : tokens.slice(0, end);
}

const readingOf = (field: Reading['field'], source: string): Reading => ({
  field,
  source,
  tokens: withoutFinancing(tokensOf(source)),
});

/** Reads the facts of an agenda item from its title and text. Doubtful facts are left out. */
export function factsOf({ title, text }: { readonly title: string; readonly text: string | null }): AgendaFacts {
  const readings: Reading[] = [readingOf('title', title)];
  if (text !== null) readings.push(readingOf('text', text));
  return {
    amounts: readings.flatMap(amountsOf),
    parties: readings.flatMap(partiesOf),
    places: readings.flatMap(placesOf),
    districts: readings.flatMap(districtsOf),
    caseNumbers: readings.flatMap(caseNumbersOf),
  };
}
