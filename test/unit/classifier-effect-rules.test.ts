import { describe, expect, it } from 'vitest';
import { spelledOut } from '../../src/classifier/effects/spelled-out.ts';
import { EFFECT_RULES, statedEffects } from '../../src/classifier/effects/stated-effects.ts';

const labelsOf = (text: string, isPaid = false): string[] =>
  statedEffects([text], { isPaid }).map((effect) => effect.split(':')[0]!);

describe('every rule on effects', () => {
  it.each(EFFECT_RULES.map(({ label, example }) => [label, example]))('"%s" finds its example "%s"', (label, example) =>
    expect(labelsOf(example)[0]).toBe(label),
  );

  it.each(EFFECT_RULES.map(({ label, example }) => [label, example]))(
    '"%s" finds its example in capital initials',
    (label, example) => {
      const titled = example.replace(/\b\p{Ll}/gu, (letter) => letter.toUpperCase());
      // Words that only stand in prose.
      if (!/^(?:Change|Proposal) stated$/.test(label)) expect(labelsOf(titled)).toContain(label);
    },
  );

  it('has a label of its own', () =>
    expect(new Set(EFFECT_RULES.map(({ label }) => label)).size).toBe(EFFECT_RULES.length));
});

describe('no effect is stated', () => {
  it.each([
    ['Repeal stated', 'An ordinance repealing Ordinance No. 5 on signs and their owners'],
    ['Repeal stated', 'A resolution rescinding the resolution of May on signs'],
    ['Duty stated', 'A report on the requirements of the state for schools'],
    ['Restriction stated', 'A report on offences and their number in the city'],
    ['Charge stated', 'An increase of the budget of the library for books'],
    ['Waiver stated', 'Accept funds and a waiver of indirect costs of the grant'],
    ['Bids', 'A report on the proposals received for lamps'],
    ['Sale stated', 'An ordinance on the sale of alcohol on property of the city'],
    ['Sale stated', 'An amendment of the resolution that authorized the sale of two lots to the club'],
    ['Borrowing stated', 'A report on the issue of litter in parks of the town'],
    ['Term stated', 'A request to extend the sidewalk along the park and the lake'],
    ['Termination stated', 'A report on how to terminate weeds in the park'],
    ['Change stated', 'An ordinance increasing estimated receipts and appropriations by $5.00 in the fund'],
    ['Change stated', 'An ordinance to decrease the reserve for repairs by $5.00 in the fund'],
    ['Permission stated', 'An update of the permitting system of the city'],
    ['Street affected', 'To remove and replace the filters of the old fountain of the park at 12 Second Avenue'],
    ['Street affected', 'To pay closing costs of the land for the Example Parkway Project'],
    ['Quiet zone stated', 'A report on quiet hours along the railroad'],
    ['Designation stated', 'A resolution designating the depository of the city for two years'],
    ['Boundary stated', 'The release of the annual report on parks and pools'],
    ['Receipt stated', 'The acceptance of the annual report of the auditor'],
    ['Application stated', 'An application for an ordinance granting a new land use program'],
    ['Application stated', 'The application for and acceptance of a grant of the state for the police'],
    ['Assistance stated', 'A contract to provide janitorial services in the library'],
    ['Payment stated', 'Notice of the obligation to pay the assessment of the district'],
    ['Rules stated', 'An ordinance amending the budget to reflect these amendments of the plan'],
    ['Amendment stated', 'An amendment to the resolution to establish appropriations of $5.00 in the fund'],
    ['Rules affected', 'A hearing regarding the consideration of the plan for parks'],
    ['Request stated', 'A resolution directing the City Manager to do the following before May'],
    ['Position stated', 'A contract in support of the software of the library'],
    ['Election stated', 'A report on the results of the election of May'],
    ['Appointment stated', 'A resolution appointing _______ as city auditor for a year'],
    ['Appointment stated', 'A resolution appointing XX as city auditor for a year'],
    ['Appointment stated', 'Consideration of appointments to boards and commissions of the city'],
    ['Positions stated', 'A report on the position of the city on rail'],
    ['Work stated', 'A contract for maintenance and support of the software of the library'],
    ['Project stated', 'An update on the software project of the library'],
    ['District stated', 'The creation of a logo for the library of the city'],
    ['Use stated', 'The annual report on the use of force by officers'],
  ])('of the kind "%s" by "%s"', (label, text) => expect(labelsOf(text)).not.toContain(label));

  it('of what money is for where a party is paid, nor as a last resort beside another effect', () => {
    const text = 'A transfer in an amount of $5.00 for the repair of lamps';
    expect(labelsOf(text)).toContain('Funding stated');
    expect(labelsOf(text, true)).not.toContain('Funding stated');
    expect(labelsOf('Rules to promote the reuse of empty shops, prohibiting the sale of fireworks')).toEqual([
      'Restriction stated',
    ]);
    expect(labelsOf('Rules to promote the reuse of empty shops', true)).toEqual([]);
  });
});

describe('a clause on a term', () => {
  const stated = (text: string): readonly string[] => statedEffects([text], { isPaid: true });

  it('holds one', () => {
    const text =
      'Extend the service contract with Sample, LLC for the collection of fees and false alarms in the city of samples';
    expect(stated(`${text}, extending the term from October 1, 2025 to May 1, 2026`)).toEqual([
      'Term stated: “extending the term from October 1, 2025 to May 1, 2026”',
    ]);
    expect(stated(text)).toEqual([]);
  });

  it('keeps both ends of a range', () =>
    expect(stated('Authorize a nine month to one-year subrecipient agreement')).toEqual([
      'Term stated: “nine month to one-year subrecipient agreement”',
    ]));

  it.each([
    [
      'The establishment of the density factor for the purposes of calculating parkland fees',
      'establishment of the density factor',
    ],
    [
      'Consenting to the Addition of Approximately 50.10 Acres of Land to the Sample District',
      'Consenting to the Addition of',
    ],
  ])('of another kind begins with what is done: "%s"', (text, words) => expect(stated(text)[0]).toContain(`“${words}`));
});

describe('a clause', () => {
  it.each([
    [
      'The annexation, prohibiting fires on Martin Luther King Jr. Boulevard and lanes',
      'fires on Martin Luther King Jr. Boulevard and lanes',
    ],
    ['The appointment of Dr. Jo Example to the board', 'appointment of Dr. Jo Example to the board'],
    [
      'In an amount of $5.00 for the United States Department of Transportation - Federal Highway Office grant',
      'Department of Transportation - Federal Highway Office grant',
    ],
    ['The repair of lamps for the Department of Parks - Example Lamps, lowest bidder', 'for the Department of Parks”'],
    ['Four One-Year Renewal Options in an Amount Up to $5.00', 'Renewal Options”'],
    ['The repair of lamps of the old town- Not to exceed $5.00 in all', 'repair of lamps of the old town”'],
  ])('of "%s" ends where its words end', (text, part) =>
    expect(statedEffects([text], { isPaid: false })[0]).toContain(part),
  );
});

describe('a pattern that takes any case', () => {
  it('is spelled out, so that no group of it needs the flag', () => {
    expect(spelledOut(String.raw`(?i:\bto (?:a|[b-d_]\d))e(?=F)`)).toBe(
      String.raw`(?:\b[tT][oO] (?:[aA]|[b-dB-D_]\d))e(?=F)`,
    );
    expect(spelledOut(String.raw`(?<!x)(?<name>\p{Lu})(?i:x\.)`)).toBe(String.raw`(?<!x)(?<name>\p{Lu})(?:[xX]\.)`);
  });

  it('finds numbers in capital initials behind alternatives', () => {
    expect(labelsOf('Authorize Two One-Year Renewal Options for the Same Annual Amount')).toEqual(['Renewal stated']);
  });
});
