import { describe, expect, it } from 'vitest';
import { factsOf } from '../../domain/agenda-facts/agenda-facts.ts';
import { mainAmount } from '../../domain/agenda-facts/main-facts.ts';

const amounts = (title: string): string[] =>
  factsOf({ title, text: null }).amounts.map(
    ({ value, role, unit }) => `${role} ${value}${unit === null ? '' : ` ${unit}`}`,
  );
const main = (title: string): number | null => mainAmount(factsOf({ title, text: null }))?.value ?? null;

describe('the amounts of an item', () => {
  it.each([
    ['Approve a contract with Sample Paving, Inc. in the amount of $1,234.50', ['total 1234.5']],
    ['Purchase of a fire engine for $1.2 million', ['total 1200000']],
    ['Award the bid to Sample Paving ($356,320)', ['total 356320']],
    ['Authorize a contract with Sample Paving, Inc. - Not to exceed $50,000', ['not_to_exceed 50000']],
    ['Authorize a contract in an amount up to $50,000.00', ['not_to_exceed 50000']],
    ['Change Order No. 2 with Sample Paving, Inc. in the amount of $9,000', ['change 9000']],
    ['Increase the contract by an additional $9,000', ['change 9000']],
    ['Change the grant from $1,000 to $290 for each new job', []],
    ['A grant of $1,000 to $290 for each new job', ['per_unit 1000 for each new job', 'per_unit 290 for each new job']],
    ['Amendment No. 1 for $9,000, for a revised total contract amount not to exceed $90,000', ['total 9000']],
    ['A contract for $9,000, for a total contract amount not to exceed $9,000', ['total 9000', 'not_to_exceed 9000']],
    ['Add two options, each in an amount not to exceed $9,000', []],
    ['Pay for the works - Total amount: $0.00', []],
    ['Accept a grant from the State in the amount of $70,000 for books', ['revenue 70000']],
    ['Lease of the hall - Estimated Revenue: $2,000', ['revenue 2000']],
  ])('%s', (title, expected) => {
    expect(amounts(title)).toEqual(expected);
  });

  it.each([
    ['Grants of $1,000 for each new job at the plant', ['per_unit 1000 for each new job']],
    ['A fee of $25 per acre for plats', ['per_unit 25 per acre']],
    ['Rent of $900 a month for the office', ['per_unit 900 a month']],
  ])('an amount for each unit has its unit: %s', (title, expected) => {
    expect(amounts(title)).toEqual(expected);
  });

  it.each([
    'No cost to the City ($0.00)',
    'An ordinance providing a penalty not to exceed $500.00 for each offense',
    'A maximum fine of two thousand dollars ($2,000.00)',
    'Discuss vendor payments over $10,000',
    'Extend the contract, which cost $10,000 previously $8,000'.replace('cost $10,000 ', ''),
    'Waive the guarantee valued at $134,000',
    'A building with an investment of at least $9,000,000',
    'Approve the budget of $2, 000 dollars'.replace('dollars', ''),
  ])('no amount: %s', (title) => {
    expect(amounts(title)).toEqual([]);
  });

  it('a funding clause is no amount', () => {
    expect(amounts('Buy pipes - Not to exceed $300 - Financing: Water Fund ($100), Sewer Fund ($200)')).toEqual([
      'not_to_exceed 300',
    ]);
  });

  it('an amount equal to the difference of two others is a change, and the others are left out', () => {
    expect(amounts('Increase the contract - Not to exceed $50.00, from $100.00 to $150.00')).toEqual(['change 50']);
  });

  it('an amount quotes the words of its field with their offset', () => {
    const text = 'Staff proposes 🌳 a cost of $4.5 million.';
    const { amounts } = factsOf({ title: 'Trees', text });
    expect(amounts).toEqual([
      {
        field: 'text',
        sourceText: '$4.5 million',
        offset: text.indexOf('$'),
        value: 4_500_000,
        currency: 'USD',
        role: 'total',
        unit: null,
      },
    ]);
  });
});

describe('the main amount of an item', () => {
  it.each([
    ['Change Order No. 1 of $5,000 for a total contract amount of $95,000', 5_000],
    ['Contracts with Sample Oil in the amount of $10 and Example Oil in the amount of $20 - Total $30', 30],
    ['Contracts with Sample Oil in the amount of $10 and Example Oil in the amount of $20', null],
    ['Accept a donation of $100', 100],
    ['Approve the minutes', null],
  ])('%s: %s', (title, expected) => {
    expect(main(title)).toBe(expected);
  });

  it('is that of the title if the text has another one', () => {
    const facts = factsOf({ title: 'A contract for $10', text: 'The bids were $30 and $10.' });
    expect(mainAmount(facts)?.value).toBe(10);
  });
});
