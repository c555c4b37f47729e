import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { NO_IMPACT } from '../../src/classifier/hit-texts.ts';
import { statedParties } from '../../src/classifier/stated-facts.ts';
import { shippedTaxonomy, subject, type SubjectParts } from '../support/classifier-subjects.ts';

const hitsOf = (title: string, parts: SubjectParts = {}) => classifyItem(subject(title, parts), shippedTaxonomy);

function impactOf(title: string, parts: SubjectParts = {}): string {
  const [hit] = hitsOf(title, parts);
  if (hit === undefined) throw new Error(`no hit: ${title}`);
  return hit.content.businessImpact;
}

describe('a clause on an effect', () => {
  it.each([
    ['Rezoning of a floor at $12.50 per square foot of area', 'Rate stated: “$12.50 per square foot of area”.'],
    [
      'A zoning study with two one-year renewal options at the same terms',
      'Renewal stated: “two one-year renewal options at the same terms”.',
    ],
    [
      'Exercise the first of three one-year renewal options of a zoning study',
      'Renewal stated: “the first of three one-year renewal options”.',
    ],
    [
      'To provide material testing services during the installation of capital projects in the zoning district',
      'Work stated: “To provide material testing services during the installation of capital projects in the zoning district”.',
    ],
    ['Visits during the street repair of Example Lane in the zoning district', NO_IMPACT],
    [
      'Zoning of surplus land: advertisement for sale by sealed bid of two lots',
      'Sale stated: “advertisement for sale by sealed bid of two lots”.',
    ],
    [
      'Zoning district: issuance and sale of special assessment bonds of the district',
      'Borrowing stated: “issuance and sale of special assessment bonds of the district”.',
    ],
    [
      'Zoning notice: closing the north lane of Sample Street for two weeks',
      'Street affected: “closing the north lane of Sample Street for two weeks”.',
    ],
    [
      'A zoning programme to provide rental assistance to displaced tenants',
      'Assistance stated: “to provide rental assistance to displaced tenants”.',
    ],
    [
      'A special permit under zoning to modify the height requirements of Section 23',
      'Change stated: “to modify the height requirements of Section 23”.',
    ],
    [
      'A zoning study with two one-year renewal options in a total amount of $9.00',
      'Amount: total amount of $9.00. Renewal stated: “two one-year renewal options”.',
    ],
    [
      'A fee schedule: increase the hourly zoning rates, and (3) to extend the term',
      /^Charge stated: “increase the hourly zoning rates”/,
    ],
    [
      'Accept a zoning grant of the Sample Office, for the study (Federal Award ID',
      'Grant stated: “Accept a zoning grant of the Sample Office, for the study”.',
    ],
    [
      'A zoning study by Example Construction of Texas, Ltd., for streets',
      'Named: Example Construction of Texas, Ltd.',
    ],
    ['Zoning: support for Example One, LLC', 'Named: Example One, LLC.'],
    [
      'Zoning of the warranted traffic signal installation at Sample Street',
      'Work stated: “traffic signal installation at Sample Street”.',
    ],
    [
      'A zoning resolution to formally terminate its agreements with two towns',
      'Termination stated: “to formally terminate its agreements with two towns”.',
    ],
    ['A zoning agreement to modify the funding source of a project', NO_IMPACT],
    ['A zoning amendment to allow the City enough time to report', NO_IMPACT],
    ['Zoning transfer in the amount of $5.00 from the Sample Bond Fund; second of $6.00', NO_IMPACT],
    [
      'Accept zoning programme funds in an amount up to $5.00 from the Sample Association, Waive costs of $6.00, Authorize contracts',
      'Funding stated: “in an amount up to $5.00 from the Sample Association”.',
    ],
  ])('of "%s" is stated in the words of the record, or not at all', (title, impact) =>
    expect(impactOf(title)).toEqual(typeof impact === 'string' ? impact : expect.stringMatching(impact)),
  );

  it('ends before the next lettered step', () => {
    const actionText =
      'Consider an ordinance:\n(a) Approving a rezoning to allow late use (12:00 a.m. - 6:00 a.m.) of one lot.\n(b) Adopt a resolution.';
    expect(impactOf('Rezoning', { item: { actionText } })).toContain(
      '“to allow late use (12:00 a.m. - 6:00 a.m.) of one lot”',
    );
  });
});

describe('the amount beside a party', () => {
  it.each([
    [
      'Authorize a zoning contract with Example One, Inc., in an amount up to $4.00; accept a refund of $1.00',
      'Named: Example One, Inc.; amount: up to $4.00.',
    ],
    [
      'Authorize change order No. 1 of $1.00 to the zoning contract with Example One, LLC, for a revised contract amount of $4.00',
      'Named: Example One, LLC; amount: revised contract amount of $4.00.',
    ],
    [
      'Authorize a zoning agreement in an amount of $4.00 with Example One, LLC and Example Two, LLC in an amount of $3.00',
      'Named: Example One, LLC; Example Two, LLC.',
    ],
    [
      'Authorize a zoning agreement with Example One, LLC, authorize a transfer in an amount of $4.00 and another of $3.00',
      'Named: Example One, LLC.',
    ],
  ])('of "%s" is that of the contract', (title, impact) => expect(impactOf(title)).toBe(impact));
});

it('the summary of a hearing names what is heard, without the words between', () => {
  const [hit] = hitsOf(
    'A public hearing to receive comments and to approve an ordinance granting a zoning change of two acres',
  );
  expect(hit?.content.summary).toMatch(/^Public hearing: (?!And|To )/);
});

describe('the summary of a report', () => {
  it.each([
    [
      'Zoning Update of Parks - Jo Q. Example, Development Services Assistant Director',
      /^Zoning Update of Parks\. Agenda/,
    ],
    ['Zoning Update of Sample Park - Dr. Jo Example, Chief Zoning Officer', /^Zoning Update of Sample Park\. /],
    ['Zoning Update of Parks - Sample Street, North Side', /^Zoning Update of Parks - Sample Street, North Side/],
  ])('"%s" leaves out who presents it, and no place', (title, summary) =>
    expect(hitsOf(title)[0]?.content.summary).toMatch(summary),
  );
});

describe('an ordinance that is listed by its number', () => {
  const actionText =
    'ORD NO. 123 - An Ordinance of the City of Sample City amending the code to add a zoning district. CEQA: Not a Project.';

  it('is told by what the source writes of it', () => {
    const [hit] = hitsOf('ORDINANCE NO. 123', { item: { actionText } });
    expect(hit?.content.summary).toMatch(/^ORDINANCE NO\. 123: Amend the code to add a zoning district\. Agenda/);
  });

  it('has no topic from what was done', () => {
    expect(
      hitsOf('ORDINANCE NO. 123', { item: { actionText: 'ORD NO. 123 - passed after the zoning hearing' } }),
    ).toEqual([]);
  });
});

describe('the names of a list', () => {
  it('are stated if all of them are recognised, else none', () => {
    const list = 'Zoning consultants: (1) Example One, Inc. (Austin) ';
    expect(impactOf(`${list}(2) Example Two, LLC (Waco)`)).toBe('Named: Example One, Inc.; Example Two, LLC.');
    expect(impactOf(`${list}(2) Sample & Partner (Waco)`)).toBe(NO_IMPACT);
  });

  it('end at the next name of a list', () => {
    expect(
      impactOf('Zoning agreements with Example One, LLC, Sample Project Partners, and Example Two, Inc. to work'),
    ).toBe('Named: Example One, LLC; Example Two, Inc.');
  });

  it('keep a dash of their own', () => {
    expect(impactOf('A zoning agreement with D.R. Example – Texas, Ltd. on streets')).toBe(
      'Named: D.R. Example – Texas, Ltd.',
    );
  });
});

describe('a party', () => {
  const named = (text: string) => statedParties(text, '')?.names;

  it('is one of two that "and" joins where the text lists it alone', () => {
    const text = 'Agreement with Sample Connector and Helpers of Example Inc., to support homes';
    expect(
      named(
        `${text}, with: (a) Sample Connector in an amount of $2.00; and (b) Helpers of Example Inc., in an amount of $1.00`,
      ),
    ).toEqual(['Sample Connector', 'Helpers of Example Inc.']);
    expect(named(text)).toEqual(['Sample Connector and Helpers of Example Inc.']);
  });

  it('is not named a second time by a former name in brackets', () =>
    expect(
      named('Extend the contract with Square Sample, LLC (previously Example Safety Corporation) for permits'),
    ).toEqual(['Square Sample, LLC']));

  it.each([
    ['A zoning agreement with eCample SOLUTIONS INC on maps', 'Named: eCample SOLUTIONS INC.'],
    [
      'A zoning agreement with Example, Inc. dba Sample House for maps of the town',
      'Named: Example, Inc. dba Sample House.',
    ],
    ['The purchase of zoning maps with Example Maps through the Sample cooperative', 'Named: Example Maps.'],
    [
      'A zoning agreement with Example, LLC through the Sample Buyers, Inc. cooperative agreement on maps',
      'Named: Example, LLC.',
    ],
    [
      'A zoning agreement with Example, LLC through Sample Sellers, Inc. on maps',
      'Named: Example, LLC; Sample Sellers, Inc.',
    ],
    ['Zoning maps of Gyant V. Example, LLC and more', 'Named: Gyant V. Example, LLC.'],
    [
      'Zoning maps - Example Maps in the estimated of $1.00, SAMPLE, INC. in the estimated amount of $2.00.00; Maps Two in an amount of $3.00, lowest responsible bidders of two',
      'Named: Example Maps; SAMPLE, INC.; Maps Two (lowest responsible bidders of two).',
    ],
    ['A zoning agreement with Attachment C-2 on maps', NO_IMPACT],
    ['A zoning agreement on maps in compliance with House Rule 5 on maps', NO_IMPACT],
    ['Zoning by the Example Code of the Sample Council, Inc. on maps', NO_IMPACT],
    ['Zoning suit styled CITY OF SAMPLE VS. EXAMPLE LLC in court', 'Named: EXAMPLE LLC.'],
    ['Zoning survey of the acquisition of land on the Sample Road from Example Street to the hill', NO_IMPACT],
    ['Zoning survey by contributions from Others for maps', NO_IMPACT],
    ['A zoning agreement with Sample, Example and Eastern Railroad on maps', NO_IMPACT],
    ['A zoning agreement with Jo Example, Jr. Family Clinic on maps', NO_IMPACT],
    ['A zoning agreement with Regard to maps', NO_IMPACT],
    ['Zoning map of the Example & Company Office Pavilion', NO_IMPACT],
  ])('of "%s" is whole and a party, or not stated', (title, impact) => expect(impactOf(title)).toBe(impact));
});

describe('the action that a source proposes', () => {
  const actionText =
    'Adopt a resolution approving a zoning change of two acres.\nCEQA: annexation of land in the extraterritorial jurisdiction was reviewed.';

  it('has the topics of an item without a text of its own, without how it was reviewed', () => {
    const [hit, ...others] = hitsOf('Actions on Sample Lane', { item: { actionText } });
    expect(others).toEqual([]);
    expect(hit?.content.evidenceQuote).toBe('Adopt a resolution approving a zoning change of two acres.');
  });

  it('has none where the item has a text', () => {
    expect(hitsOf('Actions on Sample Lane', { item: { actionText, text: 'The owner came.' } })).toEqual([]);
  });
});

describe('the words beside an outcome', () => {
  it('are those that say the same', () => {
    const [hit] = hitsOf('Rezoning of a lot', { item: { outcome: 'no_action', actionText: 'Filed, by Committee' } });
    expect(hit?.content.summary).toMatch(/: filed \(“Filed, by Committee”\)\.$/);
    const [closed] = hitsOf('Rezoning of a lot', {
      item: { outcome: 'approved', actionText: 'Hearing closed and adopt' },
    });
    expect(closed?.content.summary).toContain(': approved');
    const [dropped] = hitsOf('Rezoning of a lot. DROP', {
      item: { outcome: 'withdrawn', matterStatus: 'Agenda Ready' },
    });
    expect(dropped?.content.summary).not.toContain('Agenda Ready');
  });
});
