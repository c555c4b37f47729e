import { expect, it } from 'vitest';
import { agendaOf, titlesOf } from '../support/agenda-pages.ts';

it('reads numbers with letters under them, and cites a letter with its number', () => {
  expect(
    titlesOf(`
                    EXAMPLE CITY COUNCIL AGENDA
                       March 3, 2026

1. Call to Order
2. Consent Agenda
   a. Approve the minutes of February 17
   b. Approve a contract for sample street lights
3. Adjournment`),
  ).toEqual([
    '1 Call to Order',
    '2 Consent Agenda',
    '2.a Approve the minutes of February 17',
    '2.b Approve a contract for sample street lights',
    '3 Adjournment',
  ]);
});

it.each([
  ['Roman numerals over letters', ['I.', 'II.', '   A.', '   B.', 'III.'], ['I', 'II', 'II.A', 'II.B', 'III']],
  ['numbers with parts', ['1.', '2.', '2.1', '2.2', '3.'], ['1', '2', '2.1', '2.2', '3']],
  ['numbers and letters in one number', ['1.', '2.', '   2.A.', '   2.B.', '3.'], ['1', '2', '2.A', '2.B', '3']],
  ['letters and numbers in one number', ['A.', 'B.', 'B1.', 'B2.', 'C.'], ['A', 'B', 'B1', 'B2', 'C']],
  ['letters and numbers with a hyphen', ['A.', 'B.', '   B-1', '   B-2', 'C.'], ['A', 'B', 'B-1', 'B-2', 'C']],
  ['letters over numbers in brackets', ['A.', 'B.', '   (1)', '   (2)', 'C.'], ['A', 'B', 'B.1', 'B.2', 'C']],
  ['numbers after a word', ['ITEM 1:', 'ITEM 2:', 'ITEM 3:', 'ITEM 4:', 'ITEM 5:'], ['1', '2', '3', '4', '5']],
])('reads %s', (_, labels, numbers) => {
  const titles = ['Call to order', 'Public hearings', 'Plat of Sample Ranch', 'Zoning of Sample Field', 'Adjournment'];
  const page = labels.map((label, index) => `${label} ${titles[index]}`).join('\n\n');
  const { items } = agendaOf(`EXAMPLE CITY COUNCIL AGENDA\n\n${page}`);
  expect(items.map(({ number }) => number)).toEqual(numbers);
  expect(items.map(({ title }) => title)).toEqual(titles);
});

it('takes I for a numeral after nothing and for a letter after H', () => {
  const letters = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'];
  const page = letters.map((letter) => `${letter}. Consider matter ${letter}`).join('\n\n');
  const numbers = agendaOf(`COUNCIL AGENDA\n\n${page}`).items.map(({ number }) => number);
  expect(numbers).toEqual(letters);
});

it('counts again from 1 in each section', () => {
  expect(
    titlesOf(`
                    EXAMPLE CITY COUNCIL AGENDA

CALL TO ORDER

CONSENT AGENDA

1. Approve the minutes of the regular meeting
2. Approve the purchase of two sample mowers

PUBLIC HEARINGS

1. Hold a hearing on the replat of Lot 4
2. Hold a hearing on the sample budget

ADJOURNMENT`),
  ).toEqual([
    '- CALL TO ORDER',
    '- CONSENT AGENDA',
    '1 Approve the minutes of the regular meeting',
    '2 Approve the purchase of two sample mowers',
    '- PUBLIC HEARINGS',
    '1 Hold a hearing on the replat of Lot 4',
    '2 Hold a hearing on the sample budget',
    '- ADJOURNMENT',
  ]);
});

it('reads an agenda with bullets alone', () => {
  expect(
    titlesOf(`
              EXAMPLE LIBRARY BOARD AGENDA

• Call to Order
• Public Comment
• Sample reading program
• Adjournment`),
  ).toEqual(['- Call to Order', '- Public Comment', '- Sample reading program', '- Adjournment']);
});

it('goes on counting after a number is missing, but not far away', () => {
  const titles = titlesOf(`
EXAMPLE CITY COUNCIL AGENDA

1. Call to order
2. Consider a sample permit
4. Consider a sample plat
90. Not of this list
5. Adjournment`);
  expect(titles.map((title) => title.split(' ')[0])).toEqual(['1', '2', '4', '5']);
});

it('counts numbers without marks that begin with 1, and no other numbers at the beginning of a line', () => {
  expect(
    titlesOf(`
EXAMPLE COUNCIL AGENDA
100 Main Street, Example

1 Call to Order
2 Sample street plan
3 Sample park plan
4 Adjournment`),
  ).toEqual(['1 Call to Order', '2 Sample street plan', '3 Sample park plan', '4 Adjournment']);
});

it('puts a list inside the entry that it interrupts at the same left edge', () => {
  expect(
    titlesOf(`
EXAMPLE COUNCIL AGENDA

1. Call to Order
a. Roll Call
2. Permits
a. New permits
1. First sample
2. Second sample
b. Renewed permits
3. Adjournment`),
  ).toEqual([
    '1 Call to Order',
    '1.a Roll Call',
    '2 Permits',
    '2.a New permits',
    '2.a.1 First sample',
    '2.a.2 Second sample',
    '2.b Renewed permits',
    '3 Adjournment',
  ]);
});

it('continues letters at the left with headings in the middle of the page', () => {
  expect(
    titlesOf(`
                                 EXAMPLE COUNCIL AGENDA

A. Call to Order
B. Roll Call

                                  C. Resolutions

1. Sample street plan
2. Sample park plan

                                  D. Ordinances

3. Sample water plan

E. Adjournment`),
  ).toEqual([
    'A Call to Order',
    'B Roll Call',
    'C Resolutions',
    '1 Sample street plan',
    '2 Sample park plan',
    'D Ordinances',
    '3 Sample water plan',
    'E Adjournment',
  ]);
});

it('leaves out a heading that is repeated on the next page, and goes on counting below it', () => {
  expect(
    titlesOf(
      `
EXAMPLE COUNCIL AGENDA

I. CALL TO ORDER
II. PETITIONS
   A. Sample speakers`,
      `
MARCH 3, 2026
II. PETITIONS (CONTINUED)
   B. Sample presentations
III. ADJOURNMENT`,
    ),
  ).toEqual([
    'I CALL TO ORDER',
    'II PETITIONS',
    'II.A Sample speakers',
    'II.B Sample presentations',
    'III ADJOURNMENT',
  ]);
});

it('reads an addendum that goes on with the numbers of its agenda', () => {
  expect(
    titlesOf(`
EXAMPLE COUNCIL AGENDA ADDENDUM

CONSENT AGENDA

   14. Consider a sample lease
   15. Consider a sample grant

ADJOURN`),
  ).toEqual(['- CONSENT AGENDA', '14 Consider a sample lease', '15 Consider a sample grant', '- ADJOURN']);
});

it('puts a list inside an entry as in the entries before it', () => {
  expect(
    titlesOf(`
EXAMPLE COURT AGENDA

1. Call to Order
2. Consent Agenda
A. Auditor
1. Sample payments
B. Treasurer
1. Sample report
2. Sample bond
3. Adjourn`),
  ).toEqual([
    '1 Call to Order',
    '2 Consent Agenda',
    '2.A Auditor',
    '2.A.1 Sample payments',
    '2.B Treasurer',
    '2.B.1 Sample report',
    '2.B.2 Sample bond',
    '3 Adjourn',
  ]);
});

it('reads numbers with a dash after them', () => {
  expect(titlesOf('EXAMPLE COUNCIL AGENDA\n\n1 - Call to Order\n2 - Sample plan\n3 – Adjourn')).toEqual([
    '1 Call to Order',
    '2 Sample plan',
    '3 Adjourn',
  ]);
});
