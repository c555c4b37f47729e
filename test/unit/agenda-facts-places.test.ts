import { describe, expect, it } from 'vitest';
import { factsOf } from '../../domain/agenda-facts/agenda-facts.ts';
import { mainPlace } from '../../domain/agenda-facts/main-facts.ts';

const places = (title: string): string[] =>
  factsOf({ title, text: null }).places.map(
    ({ kind, sourceText, use }) => `${kind}: ${sourceText}${use === 'reference' ? ' (reference)' : ''}`,
  );

describe('streets and addresses', () => {
  it.each([
    ['Signals at Oak and Elm Streets', 'intersection: Oak and Elm Streets'],
    ['Sewers in Oak Street between Pine and Elm Streets', 'road_segment: Oak Street between Pine and Elm Streets'],
    ['A site south of Oak Road and east of Elm Road', 'intersection: south of Oak Road and east of Elm Road'],
    ['A shop on the line of South Boulevard', 'road_segment: line of South Boulevard'],
    ['A fence at 12 North Sample Street, Suite 4', 'street_address: 12 North Sample Street, Suite 4'],
    ['Houses at 1129, 1133 and 1137 E. Sample Ave.', 'street_address: 1129, 1133 and 1137 E. Sample Ave.'],
    ['A PERMIT AT 709 W. SAMPLE', 'street_address: 709 W. SAMPLE'],
    ['A sign at 221 Ave I', 'street_address: 221 Ave I'],
    ['Paving of State Highway 6', 'road_segment: State Highway 6'],
    ['A ramp at 4000 South IH 35 Frontage Rd.', 'street_address: 4000 South IH 35 Frontage Rd.'],
    [
      'Mains in Sample Street from First Avenue to Oak Lane',
      'road_segment: Sample Street from First Avenue to Oak Lane',
    ],
    ['No parking between Oak Lane and Elm Lane', 'road_segment: Oak Lane and Elm Lane'],
    ['A signal at Sample Road and Oak Lane', 'intersection: Sample Road and Oak Lane'],
    [
      'Rezoning of the northeast corner of 7th Street and Oak Lane',
      'intersection: northeast corner of 7th Street and Oak Lane',
    ],
    ['A lot on the south side of Sample Road', 'road_segment: south side of Sample Road'],
  ])('%s', (title, expected) => {
    expect(places(title)).toEqual([expected]);
  });
});

describe('land and facilities', () => {
  it.each([
    ['Replat of Lots 1-6, Block 2, Sample Hills Addition', 'parcel: Lots 1-6, Block 2, Sample Hills Addition'],
    ['Final plat of Sample Meadows Subdivision, Phase 2', 'subdivision: Sample Meadows Subdivision, Phase 2'],
    ['New lights in Sample Park', 'facility: Sample Park'],
    ['Sample Park Playground Improvements', 'facility: Sample Park'],
    ['Lift Station 42 Upgrades', 'facility: Lift Station 42'],
    ['Roof of the Sample Creek Wastewater Treatment Plant', 'facility: Sample Creek Wastewater Treatment Plant'],
    ['A plan for the Sample Heights Historic District', 'area: Sample Heights Historic District'],
    ['Rezoning to Planned Development District No. 12', 'zoning_district: Planned Development District No. 12'],
  ])('%s', (title, expected) => {
    expect(places(title)).toEqual([expected]);
  });

  it('has the name of a facility, and none for an address', () => {
    const { places } = factsOf({ title: 'Lights in Sample Park, 12 Oak Lane', text: null });
    expect(places.map(({ name }) => name)).toEqual(['Sample Park', null]);
  });
});

describe('references', () => {
  it.each([
    ['A setback of 25 feet from Sample Road', 'road_segment: Sample Road (reference)'],
    ['No alcohol within 300 feet of Sample Road', 'road_segment: Sample Road (reference)'],
    ['Land generally located near Sample Road', 'road_segment: Sample Road (reference)'],
    ['A tower adjacent to Sample Park', 'facility: Sample Park (reference)'],
  ])('%s', (title, expected) => {
    expect(places(title)).toEqual([expected]);
  });

  it('is part of the site where it says how far the site is from a corner', () => {
    expect(places('Rezoning - 760 feet north of the corner of Oak Lane and Elm Road')).toEqual([
      'intersection: 760 feet north of the corner of Oak Lane and Elm Road',
    ]);
  });
});

describe('no place', () => {
  it.each([
    'A permit in the B-1 Limited Business District',
    'The sale of Unlimited Tax Road Bonds',
    'Advertising of Living Streets',
    'The designation as an All-American Road',
    'The Sample Public Library will report to the council',
    'A grant from the Sample State Library and Archives Commission',
    'A grant from the Sample Library',
    'An agreement with Sample Campus',
    'Contact this office, 12 Sample Street, for an accommodation',
    'Land in Block 37, T-3-S of a survey',
    'A memorandum of the Cities of Sample, Example Estates, and Sample Hills',
    'The Notice Of A Nomination To Place Example Flat Historic District In The Register',
    'The Public Park Restroom',
    'Appointment of Ann Example, 12 Oak Lane, to the library board',
    'Reappoint Bob Sample residing at 12 Oak Lane',
    'A contract with 105 Church Road Partners LLC',
    'Sample Park Board minutes',
    'State Highway Patrol grant',
    'Advanced Street Sign Replacement',
    'Payments of June 9, 2020 Commissioners Court',
    'A tour of the Sample Park Community Agency',
  ])('%s', (title) => {
    expect(places(title)).toEqual([]);
  });
});

it('the main place is an address before its legal description', () => {
  const facts = factsOf({ title: 'Lot 14, Block 2, Sample Addition, a.k.a. 26 Oak Lane', text: null });
  expect(mainPlace(facts)?.sourceText).toBe('26 Oak Lane');
});
