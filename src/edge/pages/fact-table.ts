import type { AgendaItem } from '../../../contract/tools/get-agenda-item.ts';
import type { SearchAgendaData } from '../../../contract/tools/search-agenda.ts';
import { nameOf } from './fragments.ts';
import { type Content, fitting, html } from './html.ts';

type Amount = NonNullable<AgendaItem['amounts']>[number];
type Party = NonNullable<AgendaItem['parties']>[number];

/** Bytes. */
const FACTS_SIZE = 8_000;

const AMOUNTS: Readonly<Record<Amount['role'], string>> = {
  total: 'Amount',
  not_to_exceed: 'Not to exceed',
  revenue: 'Revenue',
  change: 'Change',
  per_unit: 'Price',
};
const PARTIES: Readonly<Record<Party['role'], string>> = {
  vendor: 'Vendor',
  applicant: 'Applicant',
  grantee: 'Grantee',
  owner: 'Owner',
  opponent: 'Opponent',
};

type Fact = readonly [label: string, words: string];

/** Returns the facts of an item with their labels, each once. */
function labeledFacts({ amounts, parties, places, districts, caseNumbers }: AgendaItem): readonly Fact[] {
  const all: readonly Fact[] = [
    ...(amounts ?? []).map(
      ({ role, sourceText, unit }): Fact => [AMOUNTS[role], [sourceText, unit ?? ''].join(' ').trim()],
    ),
    ...(parties ?? []).map(({ role, name }): Fact => [PARTIES[role], name]),
    ...(places ?? []).map(({ use, sourceText }): Fact => [use === 'affected' ? 'Place' : 'Near', sourceText]),
    ...(districts ?? []).map(({ district }): Fact => ['District', district]),
    ...(caseNumbers ?? []).map(({ value }): Fact => ['Case', value]),
  ];
  return [...new Map(all.map((fact) => [fact.join('\n'), fact])).values()];
}

/** Renders the facts of an item in the words of the source. */
export function factTable(item: AgendaItem): Content {
  const facts = labeledFacts(item);
  if (facts.length === 0) return null;
  const rows = fitting(
    facts,
    FACTS_SIZE,
    ([label, words]) => html`<tr><th scope="row">${label}</th><td>${nameOf(words)}</td></tr>`,
  );
  return html`<section aria-labelledby="facts"><h2 id="facts">Facts in the words of the source</h2>
<table class="facts">${rows}</table></section>`;
}

/** Formats an amount without cents that are zero: "$1,250", "$0.75". */
const money = ({ value, currency }: Pick<Amount, 'value' | 'currency'>): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' }).format(value);

/** Renders the first amounts and parties of a result in one line. */
export function factLine({ amounts, parties }: SearchAgendaData['results'][number]): Content {
  const facts = [
    ...(amounts ?? []).map((amount) => `${AMOUNTS[amount.role]} ${money(amount)} ${amount.unit ?? ''}`.trim()),
    ...(parties ?? []).map(({ name, role }) => `${PARTIES[role]} ${name}`),
  ];
  return facts.length > 0 && html`<p class="quiet">${[...new Set(facts)].map(nameOf).join(' · ')}</p>`;
}
