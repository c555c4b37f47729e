import type { AgendaFacts } from '../../../domain/agenda-facts/facts.ts';
import type { NormalizedContent } from '../../../domain/records/resources.ts';

type AffectedLocation = NormalizedContent<'agenda_hits'>['affectedLocation'];

const AT_MOST = 20;
const LENGTH = 160;

/** Returns the places that an item affects, in their order, each once and verbatim; at most 20. A place is never cut. */
export function affectedLocation({ places }: AgendaFacts): AffectedLocation {
  const affected = places.filter(({ use, sourceText }) => use === 'affected' && sourceText.length <= LENGTH);
  const distinct = new Map(affected.map(({ kind, sourceText }) => [sourceText.toLowerCase(), { kind, sourceText }]));
  const locations = [...distinct.values()].slice(0, AT_MOST);
  return { status: locations.length > 0 ? 'stated' : 'not_stated', locations };
}
