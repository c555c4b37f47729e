import type { ClassificationSubject } from '../../domain/ports/classifier.ts';
import type { NormalizedContent } from '../../domain/records/resources.ts';
import type { StatedFacts } from './stated-facts.ts';

type Location = NormalizedContent<'agenda_hits'>['affectedLocation']['locations'][number];

/** Addresses come before districts. */
const PLACE_ORDER: readonly Location['kind'][] = [
  'street_address',
  'road_segment',
  'intersection',
  'facility',
  'subdivision',
  'parcel',
  'area',
  'zoning_district',
];
const PLACES = 2;

/** The first two places of an item by kind, and the number of the others. */
function placesOf(locations: readonly Location[]): string | null {
  const ordered = PLACE_ORDER.flatMap((kind) => locations.filter((location) => location.kind === kind));
  if (ordered.length === 0) return null;
  const named = ordered.slice(0, PLACES).map((location) => location.sourceText);
  const rest = locations.length - named.length;
  return `${named.join('; ')}${rest > 0 ? `; ${rest} more named` : ''}`;
}

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/**
 * Short sentences that use only statements of the record: the kind of action, the body, the file, the applicant or other party, the
 * places, the amount, recommendations and the outcome.
 */
export function summaryOf({ item, body, jurisdiction }: ClassificationSubject, facts: StatedFacts, locations: readonly Location[]): string {
  const places = placesOf(locations);
  const parts = [
    `${facts.action} before the ${jurisdiction.name} ${body.name}${item.matterFile === null ? '' : ` (file ${item.matterFile})`}`,
    facts.party === null ? null : `${facts.party.role === 'applicant' ? 'Applicant' : 'Party named'}: ${facts.party.name}`,
    places === null ? null : `Place: ${places}`,
    facts.amount === null ? null : `Amount: ${facts.amount}`,
    ...facts.recommendations,
    facts.outcome === null ? null : `Outcome: ${facts.outcome}`,
  ];
  return parts
    .filter((part) => part !== null)
    .map(sentence)
    .join(' ');
}
