import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { operativeText } from '../../src/classifier/operative-text.ts';
import { itemSubject } from '../../src/classifier/subject-sentence.ts';
import { shippedTaxonomy, subject, type SubjectParts } from '../support/classifier-subjects.ts';

const about = (title: string, item: SubjectParts['item'] = {}): string => itemSubject(subject(title, { item }).item, operativeText(title));

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
      /^Authorize a sale; a lease of .{90,150} …; a gift; a loan$/,
    );
    expect(about(`Authorize (1) a sale; (2) a lease; (3) a lease of ${long}`)).toBe('Authorize a sale; a lease, and 1 further point');
  });

  it('keeps the fund to which the funding of a contract moves, unlike the fund that pays', () => {
    expect(about('Authorize a correction to revise the funding from 2023 Certificates to 2017 General Obligation Bond Fund')).toMatch(
      / to 2017 General Obligation Bond Fund$/,
    );
    expect(about('Authorize a sidewalk on Example Street (2017 General Obligation Bond Funds)')).not.toContain('Bond Fund');
  });

  it('is a rezoning also where the list of uses is long', () => {
    const title = `Example School / Jo Sample, Sample Group, LLC; 519 E. Example Street, (7.1 acres) From: "A-5" Homes To: "PD" Planned Development excluding ${'a hospital, '.repeat(40)}site plan included`;
    expect(about(title)).toMatch(/^Rezone 7\.1 acres at 519 E\. Example Street from "A-5" Homes to "PD" Planned Development/);
  });

  it('has no number of an application before it', () => {
    expect(
      about('Application number N 240222 HIM (Sample Building) Designation by the Commission of Sample Building, 24 Example Street'),
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
      'Report on bids and award of contract for the Sample Field Project; Adopt the amendments in the Sample Bond Fund; Adopt a policy',
    );
    expect(about('Sample Land.', { actionText: 'Adopt a resolution: (a) Declaring land surplus; and (b) Approving a sale.' })).toBe(
      'Adopt a resolution: (a) Declaring land surplus; and (b) Approving a sale',
    );
    expect(about('Sample Land.', { actionText: 'Consideration of an ordinance of the City of Exampleville rezoning an acre' })).toBe(
      'Rezone an acre',
    );
  });
});

describe('a quote', () => {
  it('does not end inside a name with "Bros."', () => {
    const [hit] = classifyItem(subject('Authorize a sidewalk contract with Sample Bros. Corporation for lamps'), shippedTaxonomy);
    expect(hit!.content.evidenceQuote).toBe('Authorize a sidewalk contract with Sample Bros. Corporation for lamps');
  });
});
