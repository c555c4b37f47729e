import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { QUOTE_LIMIT } from '../../src/classifier/evidence-quote.ts';
import { NO_IMPACT } from '../../src/classifier/hit-texts.ts';
import { statedAmount, statedParties } from '../../src/classifier/stated-facts.ts';
import { itemSubject } from '../../src/classifier/subject-sentence.ts';
import { operativeText } from '../../src/classifier/operative-text.ts';
import { shippedTaxonomy, subject, type SubjectParts } from '../support/classifier-subjects.ts';

function content(title: string, parts: SubjectParts = {}) {
  const [hit] = classifyItem(subject(title, parts), shippedTaxonomy);
  if (hit === undefined) throw new Error(`no hit: ${title}`);
  return hit.content;
}
const context = (title: string, parts: SubjectParts = {}) => content(title, parts).proceduralContext;

const HEARD_AND_LAID_OVER = [
  { text: 'Hearing Held by Committee', outcome: null },
  { text: 'Laid Over by Committee', outcome: 'continued' },
];

describe('the evidence', () => {
  it('is the sentence that contains the keyword, without the source of the money', () => {
    expect(
      content(
        'Consider a gift of Example Co. to the city. Rezoning of 5 acres at 1 Sample St. near the creek. Thank the donor. Financing: None',
      ).evidenceQuote,
    ).toBe('Rezoning of 5 acres at 1 Sample St. near the creek.');
  });

  it('is taken from the text if the title does not contain the keyword', () => {
    expect(
      content('Case 12', {
        item: { text: 'The owner came.\nA zoning change of two acres from retail to homes is asked for.' },
      }).evidenceQuote,
    ).toBe('A zoning change of two acres from retail to homes is asked for.');
  });

  it.each([',', '-', '; –'])(
    'is the unchanged title when the title is "%s" and only the kind of matter matches',
    (title) => {
      expect(content(title, { item: { matterType: 'Zoning Case' } }).evidenceQuote).toBe(title);
    },
  );

  it('is limited to the clauses around the keyword in a very long sentence', () => {
    const title = `Authorize (1) ${'one more of many duties of the manager; (2) '.repeat(15)} annexation of land in the extraterritorial jurisdiction; ${'and so on; '.repeat(60)}`;
    const { evidenceQuote } = content(title);
    const [, before, words, after] = /^(… )?(.*?)( …)?$/.exec(evidenceQuote)!;
    expect(title).toContain(words);
    expect(words).toContain('annexation');
    expect(words!.length).toBeLessThanOrEqual(QUOTE_LIMIT);
    expect([before, after]).toEqual(['… ', ' …']);
  });

  it('shows by an ellipsis that the price or the recommendation behind it is left out', () => {
    expect(content('Rezoning of 5 acres - Financing: None').evidenceQuote).toBe('Rezoning of 5 acres …');
    expect(content('Rezoning of 5 acres Recommendation of Staff: Approval').evidenceQuote).toBe(
      'Rezoning of 5 acres …',
    );
  });

  it('contains neither tags nor entities of a text that an import sends with them', () => {
    expect(content('<b>Rezoning</b> of land &amp; water&nbsp;rights').evidenceQuote).toBe(
      'Rezoning of land & water rights',
    );
  });
});

describe('summary and business impact', () => {
  it('contain the facts of the record: action and object, amount, party, file, outcome', () => {
    const hit = content(
      'Authorize a construction contract with Example Builders, Inc. for sidewalk repairs at 12 Sample Street - Not to exceed $1,250,000.00 - Financing: Bond Fund ($9.00)',
      {
        item: { matterFile: '26-0012', outcome: 'approved' },
      },
    );
    expect(hit.summary).toBe(
      'Authorize a construction contract with Example Builders, Inc. for sidewalk repairs at 12 Sample Street. Amount: Not to exceed $1,250,000.00. Agenda of the Exampleville City Council, 2026-03-10, file 26-0012: approved.',
    );
    expect(hit.businessImpact).toBe('Named: Example Builders, Inc.; amount: Not to exceed $1,250,000.00.');
  });

  it('omit facts that the record lacks', () => {
    const hit = content('Speed limit in school zones');
    expect(hit.summary).toBe(
      'Speed limit in school zones. Agenda of the Exampleville City Council, 2026-03-10: listed.',
    );
    expect(hit.businessImpact).toBe(NO_IMPACT);
  });

  it.each([
    ['Purchase of a truck - Not to exceed $5,000.00, from $1.00 to $2.00', 'Not to exceed $5,000.00'],
    ['Contract in the amount of $7.50', '$7.50'],
    ['Services in an amount up to $400,000.00 annually', 'up to $400,000.00 annually'],
    [
      'Grant of $10,000,000 with a match of $2,000,000 for a total amount of $12,000,000',
      'total amount of $12,000,000',
    ],
    ['Loan in an amount up to $90 million and a grant in an amount up to $23 million', null],
    ['Abatement for a building having a cost of at least $9,140,000.00', 'cost of at least $9,140,000.00'],
    [
      'Ordinance authorizing the issuance of General Obligation Bonds, Series 2023 in an aggregate principal amount not to exceed $455,880,000; (2) levying a tax - Not to exceed $1,040,000',
      'principal amount not to exceed $455,880,000',
    ],
    [
      'Issuance of (1) bonds in an amount not to exceed $172,000; and (2) notes of $51,000 - Not to exceed $3,000',
      null,
    ],
    [
      'Sale of lots - Estimated Revenue: General Fund $10.70; Revenue Foregone: General Fund $40.61',
      'Estimated Revenue: General Fund $10.70; Revenue Foregone: General Fund $40.61',
    ],
    [
      'A multifamily development - Estimated Revenue Forgone: General Fund $23,549,377.00',
      'Estimated Revenue Forgone: General Fund $23,549,377.00',
    ],
    [
      'Vending - Estimated Annual Net Revenue: General Fund $39,097.97',
      'Estimated Annual Net Revenue: General Fund $39,097.97',
    ],
    [
      'License - Revenue: General Fund $200.00 annually and $150.00 one-time fee, plus the $20.00 ordinance publication fee',
      'Revenue: General Fund $200.00 annually and $150.00 one-time fee',
    ],
    [
      'A district - Amount not to exceed actual collections estimated at $379,687.00',
      'Amount not to exceed actual collections estimated at $379,687.00',
    ],
    ['Ordinance providing a penalty not to exceed $500.00', null],
    ['Gifts of $5 and $6', null],
  ])('read the amount of "%s" as %j', (text, amount) => expect(statedAmount(text)).toBe(amount));

  it.each([
    ['Contract with Example and Sons, LLC for paint', '', ['Example and Sons, LLC']],
    ['Contract with the University of Texas at San Antonio for training', '', ['University of Texas at San Antonio']],
    ['Contract with the Sample Foundation at Fair Park', '', ['Sample Foundation']],
    ['A hearing on an application by Sample Homes Fund (Applicant) to the state', '', ['Sample Homes Fund']],
    [
      '(CD 5) Jo Example / Sample Partners; 12 Example Street; (2 acres)',
      'Zoning Case',
      ['Jo Example / Sample Partners'],
    ],
    ['Application number C 1 ZMK submitted by 96 Sample St, LLC, pursuant to the Charter', '', ['96 Sample St, LLC']],
    [
      'Agreement for pumps for the Water Department - Adam Sample dba Graphics MFG in the estimated amount of $158,275.00 and Example Supply, Inc. in the estimated amount of $134,300.00, lowest responsible bidders of three - Total $292,575.00',
      '',
      ['Adam Sample dba Graphics MFG', 'Example Supply, Inc.'],
    ],
    [
      'Services in an amount of $1,000.00, Example Research, Inc. in an amount of $2,000.00',
      '',
      ['Example Research, Inc.'],
    ],
    [
      'Contract with Sample & Example, LLC, formerly known as Sample & Example, Inc., to design',
      '',
      ['Sample & Example, LLC'],
    ],
    ['Contract with Sample Works in an amount up to $5.00', '', ['Sample Works']],
    ['Interlocal agreement with the City of Samplefield for a main', '', ['City of Samplefield']],
    [
      'Contract with Example Materials, Inc. dba ExampleBit, a SMP Company, to pave',
      '',
      ['Example Materials, Inc. dba ExampleBit'],
    ],
    ['Abandoning an alley to Jo Sample Example, the abutting owner', '', ['Jo Sample Example']],
    ['Speed limit on Example Boulevard', '', undefined],
    ['Authorize Execution of Grant Agreements with the State of Texas', '', undefined],
    [
      'Contract with Dallas Housing Acquisition and Development Corporation for lots',
      '',
      ['Dallas Housing Acquisition and Development Corporation'],
    ],
  ])('read the parties of "%s"', (text, type, names) => expect(statedParties(text, type)?.names).toEqual(names));

  it('say how a seller was chosen', () => {
    const text =
      'Contract for mains - Sample Construction, Inc., lowest responsible bidder of four - Not to exceed $12,711,348.00';
    expect(statedParties(text, '')).toMatchObject({
      role: 'party',
      names: ['Sample Construction, Inc.'],
      chosen: 'lowest responsible bidder of four',
    });
  });

  it.each([
    [
      'Levying a special assessment on property in the district; speed limit',
      'Charge stated: “Levying a special assessment on property in the district”.',
    ],
    [
      'Speed limit and an ordinance prohibiting the use of groundwater at 5 Sample St.',
      'Restriction stated: “prohibiting the use of groundwater at 5 Sample St”.',
    ],
    [
      'Rezoning on property zoned R-5 Single Family District, on the south line of Sample Road Recommendation of Staff: Approval',
      'Property affected: “property zoned R-5 Single Family District, on the south line of Sample Road”.',
    ],
    [
      'Speed limit study for the period May 1, 2026 through April 30, 2027',
      'Term stated: “for the period May 1, 2026 through April 30, 2027”.',
    ],
    [
      'Authorize an agreement with the State of Sample for the State to replace the bridge at Sample Road',
      'Work stated: “to replace the bridge at Sample Road”.',
    ],
    [
      'Authorize acceptance of a grant from the U.S. Department of Samples for zoning studies',
      'Grant stated: “acceptance of a grant from the U.S. Department of Samples for zoning studies”.',
    ],
    [
      'Conduct Public Hearing, Authorize the Use of a Portion of Sample Park for Utility Easement (PUBLIC HEARING - a. Staff)',
      'Property affected: “Portion of Sample Park for Utility Easement”.',
    ],
    [
      '(CD 8) Zoning of Sample Church; 100 Sample Drive, (1.18 acres) From: "AG" Agricultural To: "I" Light Industrial (Recommended for Denial)',
      'Change stated: “From: "AG" Agricultural To: "I" Light Industrial”. Property affected: “100 Sample Drive, (1.18 acres)”.',
    ],
    [
      'An ordinance on zoning; providing a penalty not to exceed $2,000.00',
      'Penalty stated: “a penalty not to exceed $2,000.00”.',
    ],
    [
      'A hearing on an amendment to zoning district No. 453, on the southwest corner of Sample Lane and Example Avenue',
      'Property affected: “on the southwest corner of Sample Lane and Example Avenue”.',
    ],
    [
      'An ordinance on zoning; (1) repealing the juvenile curfew; (2) providing an effective date',
      'Repeal stated: “repealing the juvenile curfew”.',
    ],
    ['An ordinance repealing Ordinance No. 12345 on zoning', NO_IMPACT],
    [
      'Authorize to raise a zoning contract from $1,150.30 to $2,595.90',
      'Change stated: “from $1,150.30 to $2,595.90”.',
    ],
    [
      'Authorize a five-year service price agreement for zoning studies',
      'Term stated: “five-year service price agreement”.',
    ],
    [
      'Authorize Waiver of Development Fees for Sample Campus',
      'Incentive stated: “Waiver of Development Fees for Sample Campus”.',
    ],
    ['Adopt a Resolution to Effect a Portion of Sample Contribution to the zoning program', NO_IMPACT],
    [
      'A Local Law to amend the zoning code, in relation to the use of shore power at piers',
      'Rules stated: “in relation to the use of shore power at piers”.',
    ],
    [
      'An ordinance granting a Specific Use Permit for a car wash on property zoned a CR Community Retail District',
      'Change stated: “granting a Specific Use Permit for a car wash on property zoned a CR Community Retail District”.',
    ],
    ['Zoning notes; Adopt Ordinances and Repealing Conflicting Ordinances; Providing for Publication', NO_IMPACT],
    [
      'Adopt Appropriation Ordinance in the Amount of $5.00 for the Sample Zoning Project',
      'Funding stated: “in the Amount of $5.00 for the Sample Zoning Project”.',
    ],
    [
      'Resolution calling on the Department of Samples to allow zoning changes',
      /^Request stated: “calling on the Department of Samples/,
    ],
    [
      'Authorize (1) a zoning contract - Example One, LLC in the amount of $2.00; and (2) a zoning lease - Example Two, LLC, lowest bidder of two',
      /^Named: Example One, LLC; Example Two, LLC \(lowest bidder of two\)/,
    ],
    [
      'Authorize an Interlocal Agreement with the Sample Farmers Independent School District (SFBISD) for zoning',
      /Sample Farmers Independent School District/,
    ],
    [
      'Authorize a public hearing to be held on April 8, 2026 on the annexation of land',
      'Public hearing stated: 2026-04-08.',
    ],
  ])('state the effect of "%s" in the words of the record', (title, impact) =>
    expect(content(title).businessImpact).toEqual(typeof impact === 'string' ? impact : expect.stringMatching(impact)),
  );

  it.each([
    [
      'An ordinance abandoning a portion of an alley to Jo Example - Revenue: General Fund $5.00',
      'Abandon a portion of an alley to Jo Example',
    ],
    ['(CD 7) Authorize Execution of a Lease with Jo Example', 'Authorize Lease with Jo Example'],
    [
      'Authorize (1) the sale of two lots; (2) release of liens; and (3) a development agreement',
      'Authorize the sale of two lots; release of liens; a development agreement',
    ],
    [
      'A public hearing to receive comments regarding an application for and an ordinance granting an MU-1 Mixed Use District on property zoned R-5, on Sample Road Recommendation of Staff: Approval Z234-155(WK)',
      'Public hearing: Grant an MU-1 Mixed Use District on property zoned R-5, on Sample Road',
    ],
    [
      'Authorize a public hearing to be held on April 8, 2026, to receive comments on the annexation of land',
      'Call a public hearing on April 8, 2026 on annexation of land',
    ],
    [
      '(CD9) SAMPLE PARTNERS LTD; 117 W Example Street, (0.0726 acres) From: "H" Central Business District To: "H/DD" Central Business District/Demolition Delay',
      'Rezone 0.0726 acres at 117 W Example Street from "H" Central Business District to "H/DD" Central Business District/Demolition Delay',
    ],
    [
      'An ordinance authorizing the issuance and sale of City of Exampleville, Texas Revenue Bonds, Series 2023A in a principal amount not to exceed $200,000,000',
      'Issue Revenue Bonds, Series 2023A in a principal amount not to exceed $200,000,000',
    ],
    [
      '(CD 9) SAMPLE LLC / Jo Example; 800 and 804 Sample Circle, (1.90 acres) To: Add a Conditional Use Permit (CUP) for outdoor storage',
      'Rezone 1.90 acres at 800 and 804 Sample Circle: Add a Conditional Use Permit (CUP) for outdoor storage',
    ],
    [
      'A resolution of the City Council of the City of Exampleville, Texas (1) authorizing the publication of a notice; (2) approving a sale',
      'Authorize the publication of a notice; approve a sale',
    ],
    [
      'A Local Law to amend the administrative code, in relation to outdoor dining',
      'Amend the administrative code, in relation to outdoor dining',
    ],
    [
      'Application number C 230091 ZMQ (Sample Lanes Rezoning) submitted by Example Realty, LLC, pursuant to Sections 197-c and 201 of the Charter for an amendment of the Zoning Map, changing from an M1-1 District to an R7A District',
      'Sample Lanes Rezoning: amendment of the Zoning Map, changing from an M1-1 District to an R7A District',
    ],
    [
      'Authorize a public hearing to be held on April 8, 2026, pursuant to Chapter 26 of the Sample Code, to receive comments on the use of a park',
      'Call a public hearing on April 8, 2026 on use of a park',
    ],
    [
      'Authorize (1) an increase in appropriations in an amount not to exceed $3.00 in the Sample Fund - Series 1; and (2) a contract for a pump station',
      'Authorize a contract for a pump station; an increase in appropriations in an amount not to exceed $3.00 - Series 1',
    ],
    [
      'Authorize acceptance of a grant (Grant No. 12, Award ID. No. 3) for the Sample District (the “District”), in accordance with Chapter 372 of the Local Government Code, approved as to form by the City Attorney',
      'Authorize acceptance of a grant for the Sample District',
    ],
    [
      'An ordinance correcting Section 5 of the Code; (1) providing a saving clause; and (2) providing an effective date',
      'Correct Section 5 of the Code',
    ],
    [
      '(CD 8) A / B; 7200 - 7500 blocks (odds) Sample Drive (42.06 acres) From: "AG" Agricultural To: "I" Light Industrial',
      'Rezone 42.06 acres at 7200 - 7500 blocks (odds) Sample Drive from "AG" Agricultural to "I" Light Industrial',
    ],
    [
      'Application number C 24 HAM (Sample Terrace) submitted by the Sample Department, pursuant to Article 16 of the General Municipal Law of New York State for the designation of an area',
      'Sample Terrace: designation of an area',
    ],
  ])('begin "%s" with its action and object', (title, about) =>
    expect(itemSubject(subject(title).item, operativeText(title))).toBe(about),
  );

  it('state parties, amount and effects of the action that the source proposes, where title and text state none', () => {
    const actionText =
      '(a) Approve an agreement between the City of San Jose and Example Properties, LLC, in the amount of $18,146. (b) Adopt a resolution to allow late-night use of the site.';
    const { businessImpact } = content('Rezoning of a corner', { item: { actionText } });
    expect(businessImpact).toContain('Named: Example Properties, LLC; amount: ');
    expect(businessImpact).toContain('$18,146');
    expect(businessImpact).toContain('Permission stated: “to allow late-night use of the site”');
    expect(
      content('Rezoning of a corner', { item: { actionText: 'Hearing Closed; Approved $5 with Example, Inc.' } })
        .businessImpact,
    ).toBe(NO_IMPACT);
  });

  it('take the subject from the proposed action or the name of the matter where the title does not say it', () => {
    const about = (title: string, item: SubjectParts['item']) => itemSubject(subject(title, { item }).item, title);
    expect(
      about('Actions Related to the Sewer Project.', {
        actionText: '(a) Approve a change order with Example, Inc. (b) Adopt a resolution.',
      }),
    ).toBe('Approve a change order with Example, Inc; adopt a resolution');
    expect(about('Int 5', { matterName: 'Outdoor dining on sidewalks.' })).toBe('Int 5: Outdoor dining on sidewalks.');
    expect(about('Item 5', {})).toBe('Agenda item: Item 5');
    const named = content('Rezoning under the charter', {
      item: { matterName: 'Sample Avenue, Queens (C 230091 ZMQ)' },
    });
    expect(named.summary).toContain('Matter: Sample Avenue, Queens (C 230091 ZMQ).');
  });

  it.each([
    [{ actionText: 'This Land Use Application was Hearing Held by Committee' }, 'recommending', 'public_hearing'],
    [
      { actionText: 'Laid Over by Committee', outcome: 'continued', actions: HEARD_AND_LAID_OVER },
      'recommending',
      'public_hearing',
    ],
    [{ actionText: 'Approved by Committee', outcome: 'approved' }, 'recommending', 'recommendation'],
    [{ actionText: '(a) Establish the Office of Rezoning.' }, 'final_decision_maker', 'final_action'],
    [
      { actionText: 'As recommended by the Rules Committee on August 30, 2017, adopt a policy.' },
      'final_decision_maker',
      'final_action',
    ],
    [{ actionText: 'Report on bids and award of contract for a sewer.' }, 'final_decision_maker', 'final_action'],
    [{ actionText: 'To be heard in the evening.' }, 'final_decision_maker', 'unknown'],
  ] as const)(
    'have the stage that the text on the action states: %j before a %s body',
    (item, actingBodyRole, stage) => {
      const stated = context('Annexation of land', {
        item: { ...item, matterType: null } as object,
        body: { actingBodyRole },
      });
      expect(stated).toMatchObject({ proceduralStage: stage, actingBodyRole });
    },
  );

  it('say that an item was filed, in the words of the source', () => {
    const filed = content('Annexation of land', { item: { actionText: 'Filed, by Committee', outcome: 'no_action' } });
    expect(filed.summary).toMatch(/: filed \(“Filed, by Committee”\)\.$/);
  });

  it('read the end of an item that stands behind its title', () => {
    expect(content('Rezoning of the property at 330 Sample Boulevard. DROP').summary).toMatch(
      /^Rezoning of the property at 330 Sample Boulevard\. .*: mark in the title “DROP”\.$/,
    );
    expect(content('Rezoning of 5 acres - WITHDRAWN BY APPLICANT').summary).toMatch(
      /: mark in the title “WITHDRAWN BY APPLICANT”\.$/,
    );
  });

  it('repeat the recommendations that the record gives', () => {
    const title =
      'A public hearing on an application for rezoning of 5 acres Recommendation of Staff: Approval, subject to a site plan Recommendation of CPC: Denial Z123-456(AB)';
    expect(content(title).summary).toContain(
      'Staff recommends: Approval, subject to a site plan. CPC recommends: Denial.',
    );
  });
});
