import { describe, expect, it } from 'vitest';
import { affectedLocation } from '../../src/classifier/locations/affected-location.ts';

const places = (text: string): string[] =>
  affectedLocation([text]).locations.map(({ kind, sourceText }) => `${kind}: ${sourceText}`);

describe('the places that a text names', () => {
  it.each([
    [
      'Signals at Example Road at Example Plaza Drive and West Sample Drive at Oak Drive',
      ['intersection: Example Road at Example Plaza Drive', 'intersection: West Sample Drive at Oak Drive'],
    ],
    [
      'Land at 4501 West Loop 820 South, Sampleville, Example County, Texas in the survey',
      ['street_address: 4501 West Loop 820 South, Sampleville, Example County, Texas'],
    ],
    [
      'Works on US 287/Highway 81 at Example Ranch Road and Sample Springs Road for flow',
      ['intersection: US 287/Highway 81 at Example Ranch Road and Sample Springs Road'],
    ],
    ['A part of an alley to Fair Park Holdings LP, the owner', []],
    ['new lights in Fair Park and its hall', ['facility: Fair Park']],
    ['A lease with Sample Community Center at Example Local Government Corporation, Inc., for a clinic', []],
    ['Funds of $1.00 the Match-Sample Park at Example Loop Fund', []],
    ['A grant of the Institute of Museum and Library Service for books', []],
    ['Trees of the Jo Example Sample Park, called Sample Park before', ['facility: Jo Example Sample Park']],
    ['Sewers. Council Districts 6 & 9.', ['area: Council Districts 6 & 9']],
    ['(Near CD 3) Sewers', ['area: Near CD 3']],
    ['Rezoning of 100 Example Street, Suite 5', ['street_address: 100 Example Street, Suite 5']],
    [
      'Clinic at 828 South Example Parkway, Suite 100, Grand Sample, Texas 75050, to be used',
      ['street_address: 828 South Example Parkway, Suite 100, Grand Sample, Texas 75050'],
    ],
    ['Work at 5150 Sample Trail Way and pumps', ['street_address: 5150 Sample Trail Way']],
    [
      'Work in the alley between Example Avenue and Sample Avenue from Twelfth Street to West Street',
      ['road_segment: alley between Example Avenue and Sample Avenue from Twelfth Street to West Street'],
    ],
    [
      'Mains on Example Hill Road (North) from First Street to Sample Lane',
      ['road_segment: Example Hill Road (North) from First Street to Sample Lane'],
    ],
    ['Sale of 12, 14 and 16 N. Sample Avenue', ['street_address: 12, 14 and 16 N. Sample Avenue']],
    [
      'Tower; 4000 - 4016 (evens) E. Example Street, (3 acres)',
      ['street_address: 4000 - 4016 (evens) E. Example Street'],
    ],
    ['Designation of a hall (Block 1331, Lot 128), Sample', ['parcel: Block 1331, Lot 128']],
    ['Land on Block 522, p/o Lots 29, 30, and 31 for use', ['parcel: Block 522, p/o Lots 29, 30, and 31']],
    ['Sale of City Block 51/3306 for use', ['parcel: City Block 51/3306']],
    [
      'Land located on Example Street near its intersection with Sample Avenue for drains',
      ['road_segment: Example Street near its intersection with Sample Avenue'],
    ],
    ['Land at 24 Example Street near its intersection with Sample Avenue', ['street_address: 24 Example Street']],
    [
      'on the north line of Example Road; between Sample Drive and Oak Lane',
      ['road_segment: north line of Example Road; between Sample Drive and Oak Lane'],
    ],
    [
      'A crossing on Example Parkway at the Sample Northern Rail Lines, and',
      ['road_segment: Example Parkway at the Sample Northern Rail Lines'],
    ],
    ['Lease of land located at 7800 Samplemore', ['street_address: 7800 Samplemore']],
    ['Lease of space located at 7800 Samplemore Suite 190, to be used', ['street_address: 7800 Samplemore Suite 190']],
    ['Lease of space located at 7800 Sample Building', ['street_address: 7800 Sample Building']],
    [
      'Space at 1111 West Sample Drive Suites 600 and 750, to be used',
      ['street_address: 1111 West Sample Drive Suites 600 and 750'],
    ],
    [
      'Space at 12 Sample Drive, Suites A, B, 14 Oak Street',
      ['street_address: 12 Sample Drive, Suites A, B', 'street_address: 14 Oak Street'],
    ],
    ['Space at 12 Sample Drive Suites of clinics', ['street_address: 12 Sample Drive']],
    ['Space at 12 Sample Drive Unit Paving', ['street_address: 12 Sample Drive']],
    [
      'Signals: Oak Street at IH 30 East/West, Elm Street at Main Street',
      ['intersection: Oak Street at IH 30', 'intersection: Elm Street at Main Street'],
    ],
    [
      'Signals: Oak Street at Interstate Highway (IH) 35, and',
      ['intersection: Oak Street at Interstate Highway (IH) 35'],
    ],
    ['Signals: Jo Sample, Jr. Boulevard at Main Street', ['intersection: Jo Sample, Jr. Boulevard at Main Street']],
    [
      'Works at the intersection of Oak Avenue, El Sample Avenue and Elm Boulevard',
      ['intersection: intersection of Oak Avenue, El Sample Avenue and Elm Boulevard'],
    ],
    ['a trail in Sample Neighborhood and', ['area: Sample Neighborhood']],
    ['Rezoning 12 acres at 100 Main Street from Agricultural to Light Industrial', ['street_address: 100 Main Street']],
    ['Rezoning 100 Main Street from Planned Development to Historic District', ['street_address: 100 Main Street']],
    ['Rezoning 100 Main Street from CR to MU-1', ['street_address: 100 Main Street']],
    [
      'Mains in Oak Street from Twelfth Street to Main Street',
      ['road_segment: Oak Street from Twelfth Street to Main Street'],
    ],
    ['Mains in Oak Street from N. Sample to Elm', ['road_segment: Oak Street from N. Sample to Elm']],
    ['Mains in Oak Street between O’Sample and Main', ['road_segment: Oak Street between O’Sample and Main']],
    [
      'Work at the intersection of Example Road and Sample Lane',
      ['intersection: intersection of Example Road and Sample Lane'],
    ],
    ['Signal: Example Road at North Sample Lane', ['intersection: Example Road at North Sample Lane']],
    [
      'on the southeast corner of Example Road and FM 1234',
      ['intersection: southeast corner of Example Road and FM 1234'],
    ],
    [
      'on the north line of Example Street, between Sample Road and 2nd Avenue',
      ['road_segment: north line of Example Street, between Sample Road and 2nd Avenue'],
    ],
    [
      'Paving of Example Street from Sample Road to Third Avenue',
      ['road_segment: Example Street from Sample Road to Third Avenue'],
    ],
    ['in the 900 and 1000 blocks of Example Avenue', ['road_segment: 900 and 1000 blocks of Example Avenue']],
    [
      'Plat of Lot 1, Block 3 in the Sample Survey, Abstract No. 12',
      ['parcel: Lot 1, Block 3', 'parcel: Sample Survey, Abstract No. 12'],
    ],
    ['Plat of Example Meadows Addition', ['subdivision: Example Meadows Addition']],
    ['property zoned an R-5(A) Single Family District', ['zoning_district: R-5(A) Single Family District']],
    ['within Planned Development District No. 99', ['zoning_district: Planned Development District No. 99']],
    [
      'From: "AG" Agricultural To: "I" Light Industrial',
      ['zoning_district: "AG" Agricultural', 'zoning_district: "I" Light Industrial'],
    ],
    ['a water line in Sample Creek Park', ['facility: Sample Creek Park']],
    ['(CD 2, CD 8 and CD 9) Renewal', ['area: CD 2, CD 8 and CD 9']],
    ['in the Example Creek TIF District', ['area: Example Creek TIF District']],
    ['a hall in the Sample Neighborhood Historic District', ['area: Sample Neighborhood Historic District']],
    ['on the establishment of Public Improvement District No. 23', ['area: Public Improvement District No. 23']],
    ['Designation by the Landmarks Commission of Jo Example Park', ['facility: Jo Example Park']],
    ['Loan to the Sample Museum of Art', ['facility: Sample Museum of Art']],
    ['a hall in the Jo Example, Jr. Community Center', ['facility: Jo Example, Jr. Community Center']],
    ['a path in Five Mile Creek Greenbelt', ['facility: Five Mile Creek Greenbelt']],
  ])('in "%s" are %j', (text, expected) => expect(places(text)).toEqual(expected));

  it.each([
    'Authorize the purchase of 300 chairs - Not to exceed $12,300.00',
    'Suit against the City of Willow Park',
    'Plat of Block 12, Lots A-1 and A-2',
    'Lights on Example Street between the creek and the mill',
    'Loan for 36 Sample Hill Road Senior Living',
    'Contract for the 2023 Annual Street Maintenance program',
    'Agreement with SW Sample Rock Trail Owner, LLC',
    'Grant of Texas Park and Wildlife',
    'Fees of the American Association of Airport Executives',
    'Contract with Example Airport Logistics, LTD',
    'Zoning case submitted by 962 Example St, LLC',
    'Lease of Sample Creek Hotel, L.P.',
    'Grant to Sample Trail-94, Ltd. for shops',
    'Loan to Sample Neighborhoods, LLC',
    'Appointment to the Park and Recreation Board',
    '(ALL) Annual audit plan for 2026',
    'Grant for the 23-24 Veterans Treatment Court',
    'Crime Control and Prevention District Budget',
    'Property zoned Subdistrict C and Subdistrict D',
    'Amendments to the Project Plan and Reinvestment Zone Financing Plan',
    'Amendments to the Example Reinvestment Zone Financing Plan',
    'Grant of the Institute of Museum and Library Services',
    'Rails of the Example, Sample and Main Streets Bridge',
    'Loan of the Department of Housing and Neighborhood Revitalization',
    'Form of the Example State Library and Archives Commission',
    'Grant of the Interior National Park Service',
    'Work at One Two Three Example Name Sample Foundation Green Park',
    'Bonds of the Example Airport Modernization Corporation',
    'An Alley Trail in town',
    'Places in the Design District TIF District',
  ])('are none in "%s"', (text) => expect(affectedLocation([text])).toEqual({ status: 'not_stated', locations: [] }));

  it('are named once each, in their order, and at most twenty', () => {
    const text = Array.from({ length: 30 }, (_, at) => `${at + 1} Example Street`).join('; ');
    expect(places(`${text}; ${text}`)).toEqual(
      Array.from({ length: 20 }, (_, at) => `street_address: ${at + 1} Example Street`),
    );
  });

  it('are left out when longer than 160 code units', () => {
    const line = `north line of ${'Longexamplename '.repeat(4)}Street, between ${'Longsamplename '.repeat(5)}Road and ${'Thirdexamplename '.repeat(3)}Lane`;
    expect(places(`${line}; 12 Example Street`)).toEqual(['street_address: 12 Example Street']);
  });
});
