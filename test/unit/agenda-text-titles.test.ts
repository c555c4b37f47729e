import { expect, it } from 'vitest';
import { agendaOf, titlesOf } from '../support/agenda-pages.ts';

it('joins the lines of a title, and leaves out the paragraph below', () => {
  expect(
    titlesOf(`
EXAMPLE CITY COUNCIL AGENDA

1. CALL TO ORDER
2. Discuss, consider and act on a resolution that authorizes the sample manager to
   negotiate and sign an agreement with Example Builders for the repair of the
   sample bridge.
   Background: the bridge was closed last year.
3. PUBLIC HEARING ON THE
   Anyone may speak for three minutes at this time of the sample meeting of today.
4. ADJOURNMENT`),
  ).toEqual([
    '1 CALL TO ORDER',
    '2 Discuss, consider and act on a resolution that authorizes the sample manager to negotiate and sign an agreement with Example Builders for the repair of the sample bridge.',
    '3 PUBLIC HEARING ON THE',
    '4 ADJOURNMENT',
  ]);
});

it('continues a title on the next page, around headers and footers with changing numbers', () => {
  const header = 'Example City Council                                    March 3, 2026';
  const [first, second] = [1, 2].map((page) => `${'\n'.repeat(40)}Page ${page} of 2`);
  const titles = titlesOf(
    `${header}\n\nAGENDA\n\n1. Call to order\n\n2. Consider the purchase of equipment for the sample water plant from Example Pumps and${first}`,
    `${header}\n\n   of valves for the sample tower\n\n3. Adjournment${second}`,
  );
  expect(titles).toEqual([
    '1 Call to order',
    '2 Consider the purchase of equipment for the sample water plant from Example Pumps and of valves for the sample tower',
    '3 Adjournment',
  ]);
});

it('says on which page an item begins', () => {
  const { items } = agendaOf('COUNCIL AGENDA\n\n1. Call to order', '2. Sample plat\n\n3. Adjournment');
  expect(items.map(({ page }) => page)).toEqual([1, 2, 2]);
});

it('leaves attached documents in brackets out of a title', () => {
  expect(
    titlesOf(`
COUNCIL AGENDA

1. Call to order
2. Sample park plan (phase 2) (Staff Report #26-001) (Presentation)
3. Adjournment`)[1],
  ).toBe('2 Sample park plan (phase 2)');
});

it('gives items the section and the kind that the titles show', () => {
  const { items } = agendaOf(`
COUNCIL AGENDA

1. Call to Order
2. Consent Agenda
   A. Approve a lease of the sample hangar
3. Adjournment`);
  expect(items.map(({ kind, section }) => [kind, section])).toEqual([
    ['procedural', null],
    ['heading', null],
    ['item', 'Consent Agenda'],
    ['procedural', null],
  ]);
});

it('reads items that begin with the same words at the top of several pages', () => {
  const page = (first: number, second: number, last: string): string => `
${first}. An ordinance on the sample land
${second}. ${last}`;
  expect(
    titlesOf(
      'EXAMPLE COUNCIL AGENDA\n\n1. Call to Order\n2. Roll Call',
      page(3, 4, 'Sample street plan'),
      page(5, 6, 'Adjournment'),
    ),
  ).toEqual([
    '1 Call to Order',
    '2 Roll Call',
    '3 An ordinance on the sample land',
    '4 Sample street plan',
    '5 An ordinance on the sample land',
    '6 Adjournment',
  ]);
});

it('reads lines that are alike below items at the top of several pages', () => {
  const page = (number: number, next: number, last: string): string => `
${number}. An ordinance on the land at the sample road in the northern part of the town that
   amends the sample code
${next}. ${last}`;
  const title =
    'An ordinance on the land at the sample road in the northern part of the town that amends the sample code';
  const first = 'EXAMPLE COUNCIL AGENDA\n\n1. Call to Order\n2. Roll Call';
  expect(titlesOf(first, page(3, 4, 'Sample plan'), page(5, 6, 'Adjournment'))).toEqual([
    '1 Call to Order',
    '2 Roll Call',
    `3 ${title}`,
    '4 Sample plan',
    `5 ${title}`,
    '6 Adjournment',
  ]);
});

it('reads a title on the lines below its number', () => {
  expect(
    titlesOf(`
EXAMPLE COUNCIL AGENDA

1. Call to Order
2.
            Consider the plan of the sample street and the sample park of the town,
            and its costs
3. Adjournment`),
  ).toEqual([
    '1 Call to Order',
    '2 Consider the plan of the sample street and the sample park of the town, and its costs',
    '3 Adjournment',
  ]);
});

it('continues a title after a bracket that is still open, and ends it before a label', () => {
  expect(
    titlesOf(`
EXAMPLE COUNCIL AGENDA

1. Call to Order
2. Conference on the sample streets (Example
   Code 54957) and parks
3. Sample plan of the streets and of the parks of the whole example town and its
   Presenter: Doe
4. Adjournment:`),
  ).toEqual([
    '1 Call to Order',
    '2 Conference on the sample streets (Example Code 54957) and parks',
    '3 Sample plan of the streets and of the parks of the whole example town and its',
    '4 Adjournment',
  ]);
});

it('takes codes and numbers at the beginning of a wrapped line for text', () => {
  expect(
    titlesOf(`
EXAMPLE COUNCIL AGENDA

1. Call to Order
2. Hold a public hearing on a request that changes the zoning of the sample farm from
   R-1 to PD-2 on the land between the sample road and the sample river as described in
   2.1 acres of the survey
3. Adjournment`),
  ).toEqual([
    '1 Call to Order',
    '2 Hold a public hearing on a request that changes the zoning of the sample farm from R-1 to PD-2 on the land between the sample road and the sample river as described in 2.1 acres of the survey',
    '3 Adjournment',
  ]);
});

it('continues a title at the top of the next page where its last line is full', () => {
  expect(
    titlesOf(
      `
EXAMPLE COUNCIL AGENDA

1. Call to Order
2. Consider the final plat of the lots of the sample meadows in the county of Examples`,
      `
   Lots 1 through 14
3. Adjournment`,
    ),
  ).toEqual([
    '1 Call to Order',
    '2 Consider the final plat of the lots of the sample meadows in the county of Examples Lots 1 through 14',
    '3 Adjournment',
  ]);
});

it('leaves out a person and a note below a title', () => {
  expect(
    titlesOf(`
EXAMPLE COUNCIL AGENDA

1. Call to Order
2. Budget of the sample schools and of the sample library for a year
   Revenue projections
3. Sample transport program of the example town for six years from 2027
   Jane Doe, Senior Planner
4. Adjournment`),
  ).toEqual([
    '1 Call to Order',
    '2 Budget of the sample schools and of the sample library for a year',
    '3 Sample transport program of the example town for six years from 2027',
    '4 Adjournment',
  ]);
});
