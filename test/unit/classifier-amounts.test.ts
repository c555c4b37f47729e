import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { NO_IMPACT } from '../../src/classifier/hit-texts.ts';
import { statedAmount, statedParties } from '../../src/classifier/stated-facts.ts';
import { shippedTaxonomy, subject } from '../support/classifier-subjects.ts';

const impactOf = (title: string): string | undefined =>
  classifyItem(subject(title), shippedTaxonomy)[0]?.content.businessImpact;

describe('the amount', () => {
  it('of a raise is stated with what was paid before and what is paid now', () =>
    expect(
      statedAmount(
        'Authorize an increase of an easement - Not to exceed $91.78, increased from $250.00 ($27.00, plus costs not to exceed $23.00) to $341.78',
      ),
    ).toBe('Not to exceed $91.78, increased from $250.00 to $341.78'));

  it('of a change order is stated as such, with the revised amount of the contract', () =>
    expect(
      statedAmount(
        'Authorize Execution of Change Order No. 2, in the Amount of $640,368.77, to the Contract with Example, LLC, for a Revised Contract Amount of $4,522,556.97',
      ),
    ).toBe('Change Order No. 2: $640,368.77; Revised Contract Amount of $4,522,556.97'));

  it('of a contingency is not that of the change order behind it', () =>
    expect(
      statedAmount(
        'Approve an increase of the contingency for a total contingency amount of $103,032.\n(b) Approval of Contract Change Order No. 5 with Example Build, Inc. in the amount of $40,787.',
      ),
    ).toBe('Contract Change Order No. 5: $40,787'));
});

describe('the parties', () => {
  it.each([
    ['A contract with The Sample Group, LLC, fka The Sample Group, Inc., for trees', ['Sample Group, LLC']],
    [
      'A lease with Sample Air, LLC (“SA”) dba Sample Development, LLC to end it',
      ['Sample Air, LLC dba Sample Development, LLC'],
    ],
    [
      'Authorize (1) the amendment of a resolution rescinding all authorizations in favor of Former Services, LLC; and (2) a grant with Saint Sample Inc.',
      ['Saint Sample Inc.'],
    ],
    [
      'Application number C 1 PQM (Sample Terrace) submitted by the Police Department of the Metropolis and the Department of Citywide Administrative Services, pursuant to Section 197-c',
      ['Police Department of the Metropolis and the Department of Citywide Administrative Services'],
    ],
  ])('of "%s"', (text, names) => expect(statedParties(text, '')?.names).toEqual(names));
});

describe('the business impact', () => {
  it('says who loses what was granted', () =>
    expect(
      impactOf(
        'Authorize the amendment of a zoning resolution rescinding all authorizations in favor of Former Services, LLC; and a permit of Sample Inc.',
      ),
    ).toContain('Repeal stated: “rescinding all authorizations in favor of Former Services, LLC”'));

  it('says who pays the city', () =>
    expect(
      impactOf(
        'Authorize (1) renewal of the contract with Sample College for zoning training; and (2) the receipt and deposit of funds in an amount not to exceed $630.00 from Sample College in the Training Fund',
      ),
    ).toContain(
      'Deposit stated: “receipt and deposit of funds in an amount not to exceed $630.00 from Sample College”',
    ));

  it('says that a lease ends', () =>
    expect(impactOf('Zoning: a mutual termination of lease agreement with Sample Bar, LLC at the hall')).toContain(
      'Termination stated: “mutual termination of lease agreement with Sample Bar, LLC at the hall”',
    ));

  it('does not take a local match for the funding', () =>
    expect(
      impactOf(
        'Zoning study: a Grant Agreement in an Amount Up to $80.00 with the State, with a Local Match in an Amount Up to $40.00, to Support the Survey',
      ),
    ).not.toContain('$40.00, to Support'));
});

describe('the quote of an effect', () => {
  it('leaves out references before it is cut, and ends behind a clause', () => {
    const law = ', in accordance with Chapter 372, Texas Local Government Code,';
    expect(
      impactOf(
        `Public hearing on zoning and the levy of assessment for the Sample Warren Park/Example Arts District Public Improvement District (the “District”)${law} for the purpose of providing supplemental public services to be funded by special assessments on property in the District`,
      ),
    ).toContain(
      'Charge stated: “levy of assessment for the Sample Warren Park/Example Arts District Public Improvement District … for the purpose of providing supplemental public services to be funded by special assessments on property in the District”',
    );
    const impact = impactOf(`Zoning to allow ${'a hall in the park and '.repeat(14)}trees`);
    expect(impact).toMatch(/Permission stated: “to allow .*(?:park|hall|hall in the park) …”/);
  });

  it.each([
    [
      'Zoning officers: appointment of Jo Sample, Director - Water Department, as President',
      'appointment of Jo Sample, Director - Water Department, as President',
    ],
    [
      'A zoning resolution to Acquire 2.7 Acres in Permanent Easement and Approximately 2.6 Acres for a Temporary Easement',
      'Acquire 2.7 Acres in Permanent Easement and Approximately 2.6 Acres for a Temporary Easement',
    ],
    [
      'A zoning agreement for the Initial Term of Five Years and Unlimited Renewal Options of Two Years Each',
      'for the Initial Term of Five Years and Unlimited Renewal Options of Two Years Each',
    ],
    [
      'A two-year cooperative purchasing service price agreement for zoning maps',
      'two-year cooperative purchasing service price agreement',
    ],
    [
      'Zoning funds for the two-year period September 1, 2023 through August 31, 2025',
      'for the two-year period September 1, 2023 through August 31, 2025',
    ],
    ['Zoning: a change order and the Addition of 80 Calendar Days to the work', 'Addition of 80 Calendar Days'],
    ['A zoning contract with a one-year renewal option', 'a one-year renewal option'],
    ['Zoning: this bill would require owners to report leaks', 'bill would require owners to report leaks'],
    [
      'Application number M 1 for a zoning modification to cancel said Declaration, to facilitate as-of-right uses',
      'to cancel said Declaration, to facilitate as-of-right uses',
    ],
  ])('in "%s" is whole', (title, words) => expect(impactOf(title)).toContain(`“${words}”`));

  it.each([
    'A zoning resolution on the appointment of members to the Charter Review Commission',
    'A position on two zoning resolutions regarding strategies to reduce negative impacts of laws',
    'A zoning ordinance amending Chapter 4 to add a new part for the Energy Fund',
    'Zoning complaints that would allow us to represent residents',
  ])('is not taken from "%s", which affects no one', (title) => expect(impactOf(title)).toBe(NO_IMPACT));

  it('has the amount of the clause that names the party', () =>
    expect(
      impactOf(
        'Zoning: award to the low bidder, Sample Landscape, Inc., for the base bid in the amount of $16.00, and a contingency in the amount of $8.00',
      ),
    ).toContain('Named: Sample Landscape, Inc.; amount: $16.00'));
});
