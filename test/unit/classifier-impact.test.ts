import { describe, expect, it } from 'vitest';
import type { AgendaFacts, AmountFact, PartyFact, PlaceFact } from '../../domain/agenda-facts/facts.ts';
import { affectedLocation } from '../../src/classifier/texts/affected-location.ts';
import { businessImpactOf, NO_IMPACT } from '../../src/classifier/texts/business-impact.ts';
import type { Standing } from '../../src/classifier/stage/item-standing.ts';
import { subject } from '../support/classifier-subjects.ts';

const SOURCE = { field: 'title', sourceText: 'x', offset: 0 } as const;
const amount = (value: number, role: AmountFact['role'] = 'total', unit: string | null = null): AmountFact => ({
  ...SOURCE,
  value,
  currency: 'USD',
  role,
  unit,
});
const party = (name: string, role: PartyFact['role'] = 'vendor'): PartyFact => ({ ...SOURCE, name, role });
const place = (
  sourceText: string,
  use: PlaceFact['use'] = 'affected',
  kind: PlaceFact['kind'] = 'street_address',
): PlaceFact => ({
  ...SOURCE,
  sourceText,
  use,
  kind,
  name: null,
});
const facts = (parts: Partial<AgendaFacts>): AgendaFacts => ({
  amounts: [],
  parties: [],
  places: [],
  districts: [],
  caseNumbers: [],
  ...parts,
});
const OPEN: Standing = { kind: 'open', words: null };
const impact = (title: string, parts: Partial<AgendaFacts>, standing: Standing = OPEN): string =>
  businessImpactOf(facts(parts), subject(title), standing);

describe('the business impact', () => {
  const builder = [party('R & D Example Brothers, Inc.')];
  it.each<[string, Partial<AgendaFacts>, string]>([
    [
      'Award a contract',
      { parties: builder, amounts: [amount(788_973)] },
      'Would pay R & D Example Brothers, Inc. $788,973.',
    ],
    [
      'Award a contract',
      { parties: builder, amounts: [amount(4275.93)] },
      'Would pay R & D Example Brothers, Inc. $4,275.93.',
    ],
    [
      'Award a contract',
      { parties: builder, amounts: [amount(5000, 'not_to_exceed')] },
      'Would pay R & D Example Brothers, Inc. up to $5,000.',
    ],
    [
      'Award a contract',
      { parties: builder, amounts: [amount(290, 'per_unit', 'for each new sign')] },
      'Would pay R & D Example Brothers, Inc. $290 for each new sign.',
    ],
    [
      'Change order No. 2',
      { parties: builder, amounts: [amount(700, 'change')] },
      'Would add $700 to an agreement with R & D Example Brothers, Inc.',
    ],
    [
      'Incentive for a plant',
      { parties: [party('Example LLC', 'grantee')], amounts: [amount(290, 'per_unit', 'for each new job')] },
      'Would provide Example LLC $290 for each new job.',
    ],
    ['Award a contract', { parties: builder }, 'Concerns an agreement with R & D Example Brothers, Inc.'],
    [
      'Rezoning',
      { parties: [party('Jo Example', 'applicant')], places: [place('12 Sample Street')] },
      'Concerns a request of Jo Example.',
    ],
    ['Settlement', { parties: [party('Jo Example', 'opponent')] }, 'Concerns a lawsuit or claim with Jo Example.'],
    ['Sale of lots', { amounts: [amount(9, 'revenue')] }, 'Would bring in $9.'],
    ['Signs', { places: [place('12 Sample Street')], amounts: [amount(9)] }, NO_IMPACT],
    ['Signs', {}, NO_IMPACT],
  ])('of "%s" with %j is "%s"', (title, parts, sentence) => expect(impact(title, parts)).toBe(sentence));

  it.each([
    'Terminate a contract',
    'Reject the bids for a contract',
    'Lease of a hall and services',
    'Amend a contract for services',
    'Increase a contract to a revised total',
    'Authorize two contracts for services',
    'Interagency agreement for services',
    'Assignment of a contract',
    'Interlocal agreement for services',
    'Neither this contract nor its services require a payment',
  ])('of "%s" says of no payment', (title) =>
    expect(impact(title, { parties: builder, amounts: [amount(5)] })).toBe(
      'Concerns an agreement with R & D Example Brothers, Inc.',
    ),
  );

  it('divides no amount among several parties, and chooses none of several amounts', () => {
    const two = [party('A, Inc.'), party('B, Inc.')];
    expect(impact('Award a contract', { parties: two, amounts: [amount(5)] })).toBe(
      'Concerns an agreement with A, Inc. and B, Inc.',
    );
    expect(impact('Award a contract', { parties: builder, amounts: [amount(5), amount(7)] })).toMatch(
      /^Concerns an agreement/,
    );
    expect(impact('Award a contract', { amounts: [amount(0)] })).toBe(NO_IMPACT);
  });

  it('names no party that is the government itself', () =>
    expect(
      impact('Award a contract', { parties: [party('City of Exampleville'), party('B, Inc.')], amounts: [amount(5)] }),
    ).toBe('Would pay B, Inc. $5.'));

  it.each<[Standing, string]>([
    [{ kind: 'denied', words: null }, '; the item was denied.'],
    [{ kind: 'withdrawn', words: null }, '; the item was withdrawn.'],
    [{ kind: 'handled', words: 'Deleted', place: 'action' }, '; the action is “Deleted”.'],
    [{ kind: 'past', words: 'Hearing Closed; Denied' }, '; the status of the file is “Hearing Closed; Denied”.'],
    [{ kind: 'past', words: 'Approved' }, '.'],
    [{ kind: 'approved', words: null }, '.'],
  ])('of %j ends with what prevents it', (standing, end) => {
    expect(impact('Award a contract', { parties: [party('Example LLC')], amounts: [amount(5)] }, standing)).toBe(
      `Would pay Example LLC $5${end}`,
    );
    expect(impact('Rezoning', {}, standing)).toBe(NO_IMPACT);
  });
});

describe('the affected location', () => {
  it('is each affected place once, and no place that only says where something else is', () =>
    expect(
      affectedLocation(facts({ places: [place('1 A Street'), place('2 B Street', 'reference'), place('1 A STREET')] })),
    ).toEqual({ status: 'stated', locations: [{ kind: 'street_address', sourceText: '1 A STREET' }] }));

  it('leaves out a place that is too long, and has at most 20', () => {
    const many = Array.from({ length: 30 }, (_, at) => place(`${at} Example Street`));
    expect(affectedLocation(facts({ places: many })).locations).toHaveLength(20);
    expect(affectedLocation(facts({ places: [place('x'.repeat(161))] }))).toEqual({
      status: 'not_stated',
      locations: [],
    });
  });
});
