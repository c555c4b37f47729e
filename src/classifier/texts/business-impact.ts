import type { AgendaFacts, AmountFact, PartyFact, PartyRole } from '../../../domain/agenda-facts/facts.ts';
import { mainAmount } from '../../../domain/agenda-facts/main-facts.ts';
import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';
import { anyWord } from '../../../domain/text/patterns.ts';
import { type Meaning, meaningOfStanding, type Standing } from '../stage/item-standing.ts';

type Subject = Pick<ClassificationSubject, 'item' | 'jurisdiction'>;

/** Impact of an item without facts. The field is required. */
export const NO_IMPACT = 'No effect on a business was read from the record.';

/** More names are counted. */
const NAMES_AT_MOST = 3;
const DOLLARS = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  trailingZeroDisplay: 'stripIfInteger',
});

const LIST = new Intl.ListFormat('en-US');

const wordIn = (words: string): RegExp => new RegExp(String.raw`\b${anyWord(words)}\b`, 'i');
/** Titles by which the government pays what it buys. */
const PAYS = wordIn(String.raw`
  contract purchas\w+ award\w* pay payments? bids? procur\w+ services? construct\w* suppl\w+ (?:change|work)\sorder
`);
/** Titles by which it might not pay, or not this amount. */
const PAYS_OTHERWISE = wordIn(String.raw`
  leas\w+ licens\w+ sale sell\w* convey\w* easements? franchis\w+ terminat\w+ reject\w* rescind\w* rescission cancel\w* assign\w+
  interlocal interagency intergovernmental settle\w+ loans? bonds? revenue reimburse\w* donat\w+ den(?:y|ial|ying) refund\w* credit decreas\w+ reduc\w+ deduct\w*
  neither waiv\w+ contracts agreements
`);

/** Returns the names of a role as a list; null if there are none. */
function namesOf(parties: readonly PartyFact[], role: PartyRole): string | null {
  const names = [...new Set(parties.filter((party) => party.role === role).map(({ name }) => name))];
  const further = names.length - NAMES_AT_MOST;
  const listed = further > 0 ? [...names.slice(0, NAMES_AT_MOST), `${further} more`] : names;
  return names.length === 0 ? null : LIST.format(listed);
}

/** Returns an amount with its limit or unit: "up to $5,000", "$290 for each new job". */
function inWords({ value, role, unit }: AmountFact): string {
  const sum = DOLLARS.format(value);
  return role === 'not_to_exceed' ? `up to ${sum}` : unit === null ? sum : `${sum} ${unit}`;
}

/** Returns the amount that the item decides; else its only price for a unit. */
function decidedAmount(facts: AgendaFacts): AmountFact | null {
  const main = mainAmount(facts);
  if (main !== null) return main.value > 0 ? main : null;
  return facts.amounts.length === 1 ? facts.amounts[0]! : null;
}

const CONCERNS: readonly (readonly [PartyRole, string])[] = [
  ['vendor', 'Concerns an agreement with'],
  ['grantee', 'Concerns support for'],
  ['applicant', 'Concerns a request of'],
  ['owner', 'Concerns property of'],
  ['opponent', 'Concerns a lawsuit or claim with'],
];

/** Returns who is paid or supported and how much; null if the facts leave a doubt. */
function payment(facts: AgendaFacts, title: string): string | null {
  const amount = decidedAmount(facts);
  const [vendor, grantee] = [namesOf(facts.parties, 'vendor'), namesOf(facts.parties, 'grantee')];
  if (amount === null || amount.role === 'revenue' || facts.parties.length !== 1 || PAYS_OTHERWISE.test(title))
    return null;
  if (grantee !== null) return `Would provide ${grantee} ${inWords(amount)}`;
  if (vendor === null || !PAYS.test(title)) return null;
  if (amount.role === 'change') return `Would add ${inWords(amount)} to an agreement with ${vendor}`;
  return /\b(?:amend|revis|increas)/i.test(title) ? null : `Would pay ${vendor} ${inWords(amount)}`;
}

/** Returns whom the facts concern, or what the government receives. */
function concern(facts: AgendaFacts): string | null {
  const [role, words] = CONCERNS.find(([of]) => namesOf(facts.parties, of) !== null) ?? [];
  if (role !== undefined) return `${words} ${namesOf(facts.parties, role)}`;
  const amount = decidedAmount(facts);
  return amount?.role === 'revenue' ? `Would bring in ${inWords(amount)}` : null;
}

/** Returns true for the name of the government itself: "City of Example", "Example County". */
const isGovernment = (name: string, own: string): boolean =>
  name === own || name === `${own} county` || name.endsWith(`city of ${own}`) || name.endsWith(`town of ${own}`);

/** Ends that prevent the effect of an item. */
const WITHOUT_EFFECT: ReadonlySet<Meaning> = new Set(['denied', 'withdrawn', 'deleted']);
const SOURCES = { action: 'action', title: 'mark in the title', file: 'status of the file' } as const;

/** Returns the end that prevents the effect: in our word if it is the outcome, else in those of the source. */
function withoutEffect(standing: Standing): string {
  const { kind, words, place = 'file' } = standing;
  if (!WITHOUT_EFFECT.has(meaningOfStanding(standing))) return '.';
  return kind === 'past' || kind === 'handled' ? `; the ${SOURCES[place]} is “${words}”.` : `; the item was ${kind}.`;
}

/**
 * Returns one sentence on who is affected and how, from the facts of the record, with an end that prevents it; a fixed
 * sentence if there are none. No effect is predicted and nothing is quoted.
 */
export function businessImpactOf(
  read: AgendaFacts,
  { item: { title }, jurisdiction }: Subject,
  standing: Standing,
): string {
  const own = jurisdiction.name.toLowerCase();
  const facts = { ...read, parties: read.parties.filter(({ name }) => !isGovernment(name.toLowerCase(), own)) };
  const effect = payment(facts, title) ?? concern(facts);
  if (effect === null) return NO_IMPACT;
  return `${effect}${withoutEffect(standing)}`.normalize('NFC').replace('..', '.');
}
