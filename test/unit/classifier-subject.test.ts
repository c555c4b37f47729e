import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { operativeText } from '../../src/classifier/operative-text.ts';
import { furtherName, itemSubject } from '../../src/classifier/subject-sentence.ts';
import { shippedTaxonomy, subject, type SubjectParts } from '../support/classifier-subjects.ts';

const about = (title: string, item: SubjectParts['item'] = {}): string =>
  itemSubject(subject(title, { item }).item, operativeText(title));

describe('the subject of a title', () => {
  it('reaches an object behind many words on how it is designed', () => {
    const title = `Authorize a services contract with Example & Sample for the ${'design, development, '.repeat(16)}and estimates for bicycle lanes`;
    expect(about(title)).toBe(title);
  });

  it('that is too long ends before a clause, not in a name', () => {
    const title = `Authorize a contract for the ${'careful repair and '.repeat(22)}painting of rails on Sample Trace Parkway at the Example Northern Santa Fe Rail Lines near town`;
    expect(about(title)).toMatch(/painting of rails …$/);
    expect(about('word '.repeat(200))).toMatch(/word word …$/);
  });

  it('names further steps as far as there is room, the second one at least in part, and counts the rest', () => {
    expect(
      about(
        'A public hearing regarding an application for and (1) an ordinance granting an R District; and (2) an ordinance granting a permit for the sale of alcohol',
      ),
    ).toBe('Public hearing: Grant an R District; grant a permit for the sale of alcohol');
    const long = 'renewal of many contracts '.repeat(30);
    expect(about(`Authorize (1) a sale; (2) a lease of ${long}; (3) a gift; and (4) a loan`)).toMatch(
      /^Authorize a sale; a lease of .{90,205} …; a gift; a loan$/,
    );
    const many = Array.from(
      { length: 9 },
      (_, index) => `(${index + 3}) a lease of the ${index + 1}${long.slice(0, 150)}`,
    ).join('; ');
    expect(about(`Authorize (1) a sale; (2) a lease; ${many}`)).toMatch(
      /^Authorize a sale; a lease; a lease of the 1.* …, and 3 further points$/,
    );
  });

  it('keeps the fund to which the funding of a contract moves, unlike the fund that pays', () => {
    expect(
      about('Authorize a correction to revise the funding from 2023 Certificates to 2017 General Obligation Bond Fund'),
    ).toMatch(/ to 2017 General Obligation Bond Fund$/);
    expect(about('Authorize a sidewalk on Example Street (2017 General Obligation Bond Funds)')).not.toContain(
      'Bond Fund',
    );
  });

  it('is a rezoning also where the list of uses is long', () => {
    const title = `Example School / Jo Sample, Sample Group, LLC; 519 E. Example Street, (7.1 acres) From: "A-5" Homes To: "PD" Planned Development excluding ${'a hospital, '.repeat(40)}site plan included`;
    expect(about(title)).toMatch(
      /^Rezone 7\.1 acres at 519 E\. Example Street from "A-5" Homes to "PD" Planned Development/,
    );
  });

  it('has no number of an application before it', () => {
    expect(
      about(
        'Application number N 240222 HIM (Sample Building) Designation by the Commission of Sample Building, 24 Example Street',
      ),
    ).toBe('Designation by the Commission of Sample Building, 24 Example Street');
    expect(about('Application number N 1 HIM (Sample Park) Designation of a garden')).toContain('Sample Park');
  });
});

describe('the subject of an item whose source proposes an action', () => {
  it('is that action where the title only names a thing', () => {
    const actionText = 'As recommended by the Rules Committee on August 30, 2017, accept the report on the workplan.';
    expect(about('Sample Office Workplan Annual Report.', { actionText })).toBe('Accept the report on the workplan.');
    expect(about('Adopt rules for the sample office', { actionText })).toBe('Adopt rules for the sample office');
    expect(about('Sample Office Workplan Annual Report.', { actionText: 'Laid Over by Committee' })).toBe(
      'Sample Office Workplan Annual Report.',
    );
  });

  it('names its lettered parts without the lists inside of them', () => {
    const actionText =
      '(a) Report on bids and award of contract for the Sample Field Project. (b) Adopt the amendments in the Sample Bond Fund: (1) Increase the balance; and (2) Decrease the reserve. (c) Adopt a policy.';
    expect(about('Actions Related to the Sample Field Project.', { actionText })).toBe(
      'Report on bids and award of contract for the Sample Field Project; adopt the amendments in the Sample Bond Fund; adopt a policy',
    );
    expect(
      about('Sample Land.', {
        actionText: 'Adopt a resolution: (a) Declaring land surplus; and (b) Approving a sale.',
      }),
    ).toBe('Declare land surplus; approve a sale');
    expect(
      about('Sample Land.', {
        actionText: 'Consideration of an ordinance of the City of Exampleville rezoning an acre',
      }),
    ).toBe('Rezone an acre');
  });
});

describe('a quote', () => {
  it('does not end inside a name with "Bros."', () => {
    const [hit] = classifyItem(
      subject('Authorize a sidewalk contract with Sample Bros. Corporation for lamps'),
      shippedTaxonomy,
    );
    expect(hit!.content.evidenceQuote).toBe('Authorize a sidewalk contract with Sample Bros. Corporation for lamps');
  });
});

describe('the steps of a long title', () => {
  it('are each told in part where the first one is long', () => {
    const long = 'repair of many walls, '.repeat(30);
    const told = about(
      `Authorize (1) the ${long}; (2) a grant of ${long}; (3) receipt and deposit of funds; and (4) a loan`,
    );
    expect(told).toMatch(
      /^Authorize the repair .{360,560} …; a grant of .{60,260} …; a loan; receipt and deposit of funds$/,
    );
  });

  it('begin with the lettered ones inside of them, without the law and the sections', () => {
    const long = 'sourced with the fund, '.repeat(20);
    expect(
      about(
        `Authorize (1) the end of a resolution; and (2) the City Manager to (a) execute a grant ${long}; (b) execute a loan ${long}; (c) convey land`,
      ),
    ).toMatch(
      /^Authorize the end of a resolution; the City Manager to execute a grant .* …; execute a loan .* …; convey land$/,
    );
    expect(
      about(
        'An ordinance amending the City Code by amending Sections 51A-1.105, 51A-8.702, and 51A-10.127; (1) moving fees; (2) adding fees',
      ),
    ).toBe('Amend the City Code; move fees; add fees');
  });

  it('name no fund in whose name stands a place', () =>
    expect(
      operativeText(
        'funds in the amount of $1.00 into the Match-Sample Park at Example Park Loop Fund; land at Example Park',
      ).replaceAll('\u0001', ''),
    ).toBe('funds in the amount of $1.00 ; land at Example Park'));

  it('have no first number without its second one', () =>
    expect(
      about(
        'Authorize a supplement of the agreement with Sample Advisors, Inc. for planning services to: (1) update the scope; (2) extend it',
      ),
    ).toBe(
      'Authorize a supplement of the agreement with Sample Advisors, Inc. for planning services to: update the scope; extend it',
    ));
});

describe('the subject', () => {
  it('goes on behind a dash before a date or a part of its name', () => {
    expect(
      about(
        'Authorize a contract for Signal Installations - November 2022 to repair signals at the plaza - Sample Solutions, Inc., lowest responsible bidder of four',
      ),
    ).toBe('Authorize a contract for Signal Installations - November 2022 to repair signals at the plaza');
    expect(
      about(
        'Authorize a license for games - Sample Group USA, Inc, most advantageous proposer of three - Estimated Revenue: General Fund $9.00',
      ),
    ).toBe('Authorize a license for games');
    expect(about('Authorize a service contract for toys - Sample Toys, Inc. - sole source')).toBe(
      'Authorize a service contract for toys',
    );
  });

  it('does not end in the sentence before a list, and names the steps behind the list', () =>
    expect(
      about('Actions on water.', {
        actionText:
          'Direct the City Manager to return in September: (a) Research a summary. The City Manager should present as a part of it: (1) The total. (2) The rates. (b) Evaluate the interests of residents. CEQA: Not a project. Council District 3. (Water)',
      }),
    ).toBe('Direct the City Manager to return in September: Research a summary; evaluate the interests of residents'));

  it('is what the source establishes where the title names a thing', () =>
    expect(
      about('Office Transfer.', {
        actionText: '(a) Establish the Office of Samples in the hall. (b) Adopt a resolution.',
      }),
    ).toBe('Establish the Office of Samples in the hall; adopt a resolution'));

  it('keeps goods behind a dash, and leaves out a seller there', () => {
    const goods = 'Authorize the purchase of eight Air Circuit - Bridge Mount heating units from Sample, Inc.';
    expect(about(`${goods}, sole source - Not to exceed $5.00`)).toBe(`${goods}, sole source`);
    expect(about('Authorize the purchase of units - Sample, Inc., sole source - Not to exceed $5.00')).toBe(
      'Authorize the purchase of units',
    );
  });

  it('has neither a district before it nor a space before its commas', () =>
    expect(
      about(
        '(Near CD 3) Approve a lease with Sample, LLC , pursuant to Section 5 of the New York City Charter, in the hall',
      ),
    ).toBe('Approve a lease with Sample, LLC in the hall'));
});

describe('the name of a matter', () => {
  it('is left out where it only adds a committee and a number', () => {
    const { item } = subject('Application number C 240047 PQM (Sample Terrace) for land in Manhattan', {
      item: { matterName: 'Landmarks, Sample Terrace, Manhattan (C 240047 PQM).' },
    });
    expect(furtherName(item, 'Sample Terrace: land in Manhattan')).toBeNull();
    expect(furtherName({ ...item, matterName: 'Outdoor dining on sidewalks' }, 'Int 5')).toBe(
      'Outdoor dining on sidewalks',
    );
  });
});
