import { saidBy, type Standing, type Said } from './item-standing.ts';
import type { NormalizedContent } from '../../domain/records/resources.ts';
import { type Parties, type StatedFacts, sums } from './stated-facts.ts';

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
const AT_MOST = 2;
const PARTIES_AT_MOST = 4;

const listed = (names: readonly string[], atMost: number): string =>
  `${names.slice(0, atMost).join('; ')}${names.length > atMost ? `; ${names.length - atMost} more named` : ''}`;

const sentences = (parts: readonly (string | null)[]): string =>
  parts
    .filter((part) => part !== null)
    .map((part) => (/[.!?…]["”]?$/.test(part) ? part : `${part.trimEnd()}.`))
    .join(' ')
    .normalize('NFC')
    .trim();

const ROLES = { applicant: 'Applicant', initiator: 'Submitted by', party: 'Named' } as const;

function partiesOf({ role, names, sums: own, chosen }: Parties): string {
  const parties = names.map((name, index) => (own[index] === undefined ? name : `${name} (${own[index]})`));
  return `${ROLES[role]}: ${listed(parties, PARTIES_AT_MOST)}${chosen === null ? '' : ` (${chosen})`}`;
}

interface ItemTexts {
  readonly subject: string;
  readonly name: string | null;
  readonly standing: string;
}

/**
 * Builds the summary: the subject, then the statements of the record that it lacks (name, places, amount, parties,
 * recommendations), then the outcome.
 */
export function summaryOf(
  { subject, name, standing }: ItemTexts,
  facts: StatedFacts,
  locations: readonly Location[],
): string {
  const places = PLACE_ORDER.flatMap((kind) => locations.filter((location) => location.kind === kind))
    .map(({ sourceText }) => sourceText)
    .filter((place) => !subject.includes(place));
  const mentioned = new Set(sums(subject));
  const isNew = (text: string): boolean => !subject.includes(text);
  return sentences([
    subject,
    name === null ? null : `Matter: ${name}`,
    places.length === 0 ? null : `Place: ${listed(places, AT_MOST)}`,
    facts.amount === null || !sums(facts.amount).some((sum) => !mentioned.has(sum)) ? null : `Amount: ${facts.amount}`,
    facts.parties === null || facts.parties.names.every((party) => !isNew(party)) ? null : partiesOf(facts.parties),
    ...facts.recommendations,
    standing,
  ]);
}

/** Impact of a record that names nobody who is affected. The field is required. */
export const NO_IMPACT = 'The record does not state who is affected or how.';

/** Outcomes that prevent the effect in the text of the item. */
const WITHOUT_EFFECT: Readonly<Partial<Record<Said, string>>> = {
  denied: 'The item was denied',
  withdrawn: 'The item was withdrawn',
  deleted: 'The item was deleted from the agenda',
  dropped: 'The item was dropped from this agenda, to be noticed again',
};

function withoutEffect(standing: Standing): string | null {
  const { kind, words, place } = standing;
  if ((kind === 'past' || kind === 'handled') && WITHOUT_EFFECT[saidBy(standing)] !== undefined)
    return `The ${place ?? 'status of the file'} is “${words}”`;
  return WITHOUT_EFFECT[kind] ?? null;
}

/**
 * Describes who is affected and how, from facts in the record only: parties with the amount, clauses about changes, and
 * an outcome that prevents them. Returns a fixed sentence if there are none.
 */
export function businessImpactOf(
  { amount, parties, effects }: StatedFacts,
  context: Hit['proceduralContext'],
  standing: Standing,
): string {
  const next = [context.nextBodyName, context.nextMeetingDate].filter((part) => part !== null).join(', ');
  const mentioned = new Set(effects.flatMap(sums));
  const isNew = amount !== null && effects.length > 0 && sums(amount).some((sum) => !mentioned.has(sum));
  const sentence = sentences([
    parties === null
      ? isNew
        ? `Amount: ${amount}`
        : null
      : `${partiesOf(parties)}${amount === null ? '' : `; amount: ${amount}`}`,
    ...effects,
    effects.length > 0 ? withoutEffect(standing) : null,
    next === ''
      ? null
      : `${context.proceduralStage === 'notice' ? 'Public hearing stated' : 'Next step stated'}: ${next}`,
  ]);
  return sentence === '' ? NO_IMPACT : sentence;
}
