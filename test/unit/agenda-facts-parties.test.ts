import { describe, expect, it } from 'vitest';
import { factsOf } from '../../domain/agenda-facts/agenda-facts.ts';

const parties = (title: string): string[] =>
  factsOf({ title, text: null }).parties.map(({ name, role }) => `${role}: ${name}`);

describe('vendors', () => {
  it.each([
    ['Approve a contract with Sample & Sons, Inc. for paving', 'Sample & Sons, Inc.'],
    ['A contract with The Sample Café at Example Square, LLC', 'Sample Café at Example Square, LLC'],
    ['An agreement with La Sample Foods, LLC', 'La Sample Foods, LLC'],
    ['An agreement with RW/GC Sample Owner, LLC', 'RW/GC Sample Owner, LLC'],
    ['An agreement with Sample Property Company, LLC for homes', 'Sample Property Company, LLC'],
    ['A contract with Sample Village Limited Partnership', 'Sample Village Limited Partnership'],
    ['An agreement with AB20, LLC for mops', 'AB20, LLC'],
    ['An agreement with Jo A. Example for art', 'Jo A. Example'],
    ['The advance funding agreement with the Texas Department of Transportation', 'Texas Department of Transportation'],
    ['The proposal submitted by Sample Group, Inc. for land', 'Sample Group, Inc.'],
    ['Sample Paving, Inc. (Ordinance S-1)', 'Sample Paving, Inc.'],
    ['Transfer an agreement from Sample Oil, Inc. to Example Oil, LLC', 'Example Oil, LLC'],
    [
      'A lease between the Metropolitan Government of Example and Sample County and the Sample Soccer Club',
      'Sample Soccer Club',
    ],
    ['A service contract for asbestos abatement - Sample Works, Inc., lowest bidder', 'Sample Works, Inc.'],
    ['Authorize an agreement with Maria Example for artwork', 'Maria Example'],
    ['Award the bid to Sample Paving Company for streets', 'Sample Paving Company'],
    ['Approve the purchase of pumps from Sample Pumps, LLC', 'Sample Pumps, LLC'],
    ['Service contract for roofs - Sample Roofs, LLC, lowest responsible bidder of three', 'Sample Roofs, LLC'],
    ['An agreement between the City of Example and Sample University for training', 'Sample University'],
    ['An agreement between Sample Clinic and Example County for nurses', 'Sample Clinic'],
    ['Sample Car Rental, LLC Ground Lease Amendment', 'Sample Car Rental, LLC'],
    ['APPROVE A CONTRACT WITH SAMPLE BOARDS, INC., THROUGH A COOPERATIVE', 'SAMPLE BOARDS, INC.'],
    ['A contract with Sample Builders, LLC dba Example Roofs for repairs', 'Sample Builders, LLC dba Example Roofs'],
    ['A contract with Stone, Wood & Glass, Inc. for design', 'Stone, Wood & Glass, Inc.'],
    ['An agreement with the Sample Department of Health of the State', 'Sample Department of Health of the State'],
  ])('%s', (title, name) => {
    expect(parties(title)).toEqual([`vendor: ${name}`]);
  });

  it('are all companies of a list', () => {
    expect(parties('Contracts with Sample One, Inc. and Sample Two, LLC for tires')).toEqual([
      'vendor: Sample One, Inc.',
      'vendor: Sample Two, LLC',
    ]);
  });
});

describe('other roles', () => {
  it.each([
    ['An agreement of Sample Homes, Inc. and/or its affiliates (Applicant)', 'applicant: Sample Homes, Inc.'],
    ['Zone change, Sample Water Authority, Applicant', 'applicant: Sample Water Authority'],
    ['Authorizing Sample Flats, LLC to build over a street', 'applicant: Sample Flats, LLC'],
    ['Event License - Sample Community Council', 'applicant: Sample Community Council'],
    [
      'Acquire 2 acres described as lot 3 and a tract of land behind the old mill, generally near a road, from Jo Example',
      'owner: Jo Example',
    ],
    ['Application of Sample Estates, LLC for a variance', 'applicant: Sample Estates, LLC'],
    ['Widen a driveway. Requested by Carol Example.', 'applicant: Carol Example'],
    ['Jon Example requests permission to build a fence', 'applicant: Jon Example'],
    ['Ann Example and Bob Sample request permission to build a fence', 'applicant: Ann Example'],
    ['APPROVE A VARIANCE FOR ANN AND BOB EXAMPLE AT 221 SAMPLE STREET', 'applicant: ANN AND BOB EXAMPLE'],
    ['Special Event License - Sample Music Festival', 'applicant: Sample Music Festival'],
    ['Rezoning of land owned by Carol Example', 'owner: Carol Example'],
    ['Acquisition of a drainage easement from Carol Example', 'owner: Carol Example'],
    ['Abandoning an alley to Sample Lofts, LP, the abutting owner', 'owner: Sample Lofts, LP'],
    ['A tax abatement agreement with Sample Chips, Inc.', 'grantee: Sample Chips, Inc.'],
    ['Approve a grant to the Sample Arts Foundation', 'grantee: Sample Arts Foundation'],
    ['Settlement of Claim Example v. City of Sampleville', 'opponent: Example'],
  ])('%s', (title, expected) => {
    expect(parties(title)[0]).toBe(expected);
  });
});

describe('no party', () => {
  it.each([
    'Settle the claim of J.L., a minor',
    'Supplies with Sample Contract & Commercial LLC in the contract',
    'Park(ing) Day requesting a map',
    'The planning of Sample Company for a member of the Zoning Commission',
    'Accept a grant and execute the grant agreement with Sample Arts Foundation',
    'An amendment of the height in the B-1 Limited Business District permit',
    'An interlocal agreement on behalf of Sample Health Association',
    'An agreement with the Public Works Department for services',
    'A contract in accordance with Chapter 252 of the Local Government Code',
    'Claims against the City of Example',
    'Amend the contract to Require a bond',
    'Business license to Rent Residential Real Estate',
    'Approve the request of Purchasing to accept a new form',
    'Custodial and Floor Care Services Contract - Request for Award',
    'Fire District Tax Rates Increase Requests',
    'A grant agreement with the Department of Justice for cameras',
    'An agreement with the City for Federal Participation in the works',
  ])('%s', (title) => {
    expect(parties(title)).toEqual([]);
  });
});
