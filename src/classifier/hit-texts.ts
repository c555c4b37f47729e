import type { ClassificationSubject } from '../../domain/ports/classifier.ts';
import type { NormalizedContent, RecordData } from '../../domain/records/resources.ts';
import type { StatedFacts } from './stated-facts.ts';

type Hit = NormalizedContent<'agenda_hits'>;
type Location = Hit['affectedLocation']['locations'][number];

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

function placesOf(locations: readonly Location[]): string | null {
  const ordered = PLACE_ORDER.flatMap((kind) => locations.filter((location) => location.kind === kind));
  if (ordered.length === 0) return null;
  const named = ordered.slice(0, PLACES).map((location) => location.sourceText);
  const rest = locations.length - named.length;
  return `${named.join('; ')}${rest > 0 ? `; ${rest} more named` : ''}`;
}

const sentences = (parts: readonly (string | null)[]): string =>
  parts
    .filter((part) => part !== null)
    .map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`))
    .join(' ');

/** Short sentences of the record's own statements: action, body, file, party, places, amount, recommendations and outcome. */
export function summaryOf({ item, body, jurisdiction }: ClassificationSubject, facts: StatedFacts, locations: readonly Location[]): string {
  const places = placesOf(locations);
  return sentences([
    `${facts.action} before the ${jurisdiction.name} ${body.name}${item.matterFile === null ? '' : ` (file ${item.matterFile})`}`,
    facts.party === null ? null : `${facts.party.role === 'applicant' ? 'Applicant' : 'Party named'}: ${facts.party.name}`,
    places === null ? null : `Place: ${places}`,
    facts.amount === null ? null : `Amount: ${facts.amount}`,
    ...facts.recommendations,
    facts.outcome === null ? null : `Outcome: ${facts.outcome}`,
  ]);
}

const STAGES: Readonly<Record<Hit['proceduralContext']['proceduralStage'], string | null>> = {
  notice: 'This item gives notice of a later public hearing',
  briefing: 'It is briefed, not voted on, at this stage',
  public_hearing: 'It is up for a public hearing',
  recommendation: 'The body recommends; another one decides',
  first_reading: 'It is up for a first reading',
  final_reading: 'It is up for its final reading',
  final_action: 'The body takes the final decision',
  unknown: null,
};

const ACTIONS: Readonly<Record<Hit['proceduralContext']['actionKind'], string | null>> = {
  public_comment: 'Comments are received at the hearing',
  registration: 'Registration is asked for',
  meeting: null,
  staff_contact: 'Staff can be contacted',
  unknown: null,
};

/** The relevance for a business that follows the topic, by the record: amount, party, stage, next step, participation. No prediction. */
export function businessImpactOf(topic: RecordData<'topics'>, facts: StatedFacts, context: Hit['proceduralContext']): string {
  const money = facts.amount === null ? null : `amount stated: ${facts.amount}`;
  const party = facts.party === null ? null : `${facts.party.name} is named as ${facts.party.role}`;
  const stakes = [money, party].filter((part) => part !== null).join('; ');
  const next = [context.nextBodyName, context.nextMeetingDate].filter((part) => part !== null).join(', ');
  const isOpen = facts.outcome === null || facts.outcome === 'continued';
  return sentences([
    `For those who follow ${topic.publicLabel}: ${stakes === '' ? facts.action.toLowerCase() : `${facts.action.toLowerCase()}; ${stakes}`}`,
    isOpen ? STAGES[context.proceduralStage] : `The record gives the outcome: ${facts.outcome}`,
    next === '' ? null : `Next step stated: ${next}`,
    ACTIONS[context.actionKind],
  ]);
}
