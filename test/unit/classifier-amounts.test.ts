import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { statedAmount, statedParties } from '../../src/classifier/stated-facts.ts';
import { shippedTaxonomy, subject } from '../support/classifier-subjects.ts';

const impactOf = (title: string): string | undefined => classifyItem(subject(title), shippedTaxonomy)[0]?.content.businessImpact;

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
    ['A lease with Sample Air, LLC (“SA”) dba Sample Development, LLC to end it', ['Sample Air, LLC dba Sample Development, LLC']],
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
    ).toContain('Deposit stated: “receipt and deposit of funds in an amount not to exceed $630.00 from Sample College”'));

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
