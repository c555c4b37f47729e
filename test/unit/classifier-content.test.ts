import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { QUOTE_LIMIT } from '../../src/classifier/evidence-quote.ts';
import { statedAmount, statedParty } from '../../src/classifier/stated-facts.ts';
import { shippedTaxonomy, subject, type SubjectParts } from '../support/classifier-subjects.ts';

function content(title: string, parts: SubjectParts = {}) {
  const [hit] = classifyItem(subject(title, parts), shippedTaxonomy);
  if (hit === undefined) throw new Error(`no hit: ${title}`);
  return hit.content;
}
const context = (title: string, parts: SubjectParts = {}) => content(title, parts).proceduralContext;

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
      content('Case 12', { item: { text: 'The owner came.\nA zoning change of two acres from retail to homes is asked for.' } })
        .evidenceQuote,
    ).toBe('A zoning change of two acres from retail to homes is asked for.');
  });

  it.each([',', '-', '; –'])('is the unchanged title when the title is "%s" and only the kind of matter matches', (title) => {
    expect(content(title, { item: { matterType: 'Zoning Case' } }).evidenceQuote).toBe(title);
  });

  it('is limited to the clauses around the keyword in a very long sentence', () => {
    const title = `Authorize (1) ${'one more of many duties of the manager; (2) '.repeat(15)} annexation of land in the extraterritorial jurisdiction; ${'and so on; '.repeat(60)}`;
    const { evidenceQuote } = content(title);
    expect(title).toContain(evidenceQuote);
    expect(evidenceQuote).toContain('annexation');
    expect(evidenceQuote.length).toBeLessThanOrEqual(QUOTE_LIMIT);
  });
});

describe('summary and business impact', () => {
  it('contain the facts of the record: action, file, party, place, amount, outcome', () => {
    const hit = content(
      'Authorize a construction contract with Example Builders, Inc. for sidewalk repairs at 12 Sample Street - Not to exceed $1,250,000.00 - Financing: Bond Fund ($9.00)',
      {
        item: { matterFile: '26-0012', outcome: 'approved' },
      },
    );
    expect(hit.summary).toBe(
      'Construction contract before the Exampleville City Council (file 26-0012). Party named: Example Builders, Inc. Place: 12 Sample Street. Amount: Not to exceed $1,250,000.00. Outcome: approved.',
    );
    expect(hit.businessImpact).toMatch(
      /: construction contract; amount stated: Not to exceed \$1,250,000\.00; Example Builders, Inc\. is named as party\. The record gives the outcome: approved\.$/,
    );
  });

  it('omit facts that the record lacks', () => {
    const hit = content('Speed limit in school zones');
    expect(hit.summary).toBe('Agenda item before the Exampleville City Council.');
    expect(hit.businessImpact).not.toMatch(/amount|named|Outcome|Next step/);
  });

  it.each([
    ['Purchase of a truck - Not to exceed $5,000.00, from $1.00 to $2.00', 'Not to exceed $5,000.00'],
    ['Contract in the amount of $7.50', '$7.50'],
    ['Grant of $10,000,000 with a match of $2,000,000 for a total amount of $12,000,000', 'total amount of $12,000,000'],
    ['Loan in an amount up to $90 million and a grant in an amount up to $23 million', '$90 million among others'],
    ['Abatement for a building having a cost of at least $9,140,000.00', 'cost of at least $9,140,000.00'],
    ['Ordinance providing a penalty not to exceed $500.00', null],
    ['Gifts of $5 and $6', null],
  ])('read the amount of "%s" as %j', (text, amount) => expect(statedAmount(text)).toBe(amount));

  it.each([
    ['Contract with Example and Sons, LLC for paint', '', { role: 'party', name: 'Example and Sons, LLC' }],
    ['A hearing on an application by Sample Homes Fund (Applicant) to the state', '', { role: 'applicant', name: 'Sample Homes Fund' }],
    [
      '(CD 5) Jo Example / Sample Partners; 12 Example Street; (2 acres)',
      'Zoning Case',
      { role: 'applicant', name: 'Jo Example / Sample Partners' },
    ],
    ['Speed limit on Example Boulevard', '', null],
  ])('read the party of "%s" as %j', (text, type, party) => expect(statedParty(text, type)).toEqual(party));

  it('repeat the recommendations that the record gives', () => {
    const title =
      'A public hearing on an application for rezoning of 5 acres Recommendation of Staff: Approval, subject to a site plan Recommendation of CPC: Denial Z123-456(AB)';
    expect(content(title).summary).toContain('Staff recommends: Approval, subject to a site plan. CPC recommends: Denial.');
  });
});

describe('the stage of an item', () => {
  it.each([
    ['Authorize a public hearing to be held on April 8, 2026 on the annexation of land', 'notice'],
    ['A public hearing to receive comments on the annexation of land', 'public_hearing'],
    ['Ordinance on short-term rentals, first reading', 'first_reading'],
    ['Ordinance on short-term rentals, second and final reading', 'final_reading'],
    ['Adopt ordinance on short-term rentals', 'final_action'],
    ['Short-term rentals', 'unknown'],
  ])('"%s" is %s', (title, stage) => expect(context(title).proceduralStage).toBe(stage));

  it('is a briefing in a work session and a recommendation in a body that recommends', () => {
    expect(context('Adopt rules on short-term rentals', { meeting: { title: 'City Council Worksession' } }).proceduralStage).toBe(
      'briefing',
    );
    const commission = context('Adopt rules on short-term rentals', { body: { actingBodyRole: 'recommending' } });
    expect(commission).toMatchObject({ proceduralStage: 'recommendation', actingBodyRole: 'recommending' });
  });

  it('names the next body and day only if the text states them and the day is in the future', () => {
    const next = ({ nextBodyName, nextMeetingDate }: ReturnType<typeof context>) => [nextBodyName, nextMeetingDate];
    expect(
      next(context('Public hearing on annexation to be held by the Planning and Zoning Commission on Tuesday, April 7, 2026')),
    ).toEqual(['Planning and Zoning Commission', '2026-04-07']);
    expect(next(context('Rezoning of 5 acres, continued to March 24, 2026'))).toEqual([null, '2026-03-24']);
    expect(next(context('Rezoning of 5 acres. Note: This item was deferred and is scheduled for consideration on March 10, 2026'))).toEqual(
      [null, null],
    );
    expect(next(context('Joint election agreement for the special election to be held on May 2, 2026'))).toEqual([null, null]);
    expect(next(context('Rezoning of 5 acres, continued to February 31, 2027'))).toEqual([null, null]);
  });

  it('names the possible actions, and none once the item is decided', () => {
    const action = ({ actionKind, actionUrl }: ReturnType<typeof context>) => [actionKind, actionUrl];
    const page = 'https://example.org/meetings/1';
    expect(action(context('A public hearing on annexation'))).toEqual(['public_comment', page]);
    expect(action(context('Adopt ordinance on short-term rentals'))).toEqual(['meeting', page]);
    expect(action(context('Adopt ordinance on short-term rentals. Register to speak at https://example.org/speak.'))).toEqual([
      'registration',
      'https://example.org/speak',
    ]);
    expect(action(context('Rezoning; questions: contact Jo Example at 555-0100'))).toEqual(['staff_contact', null]);
    expect(action(context('A public hearing on annexation', { item: { outcome: 'approved' } }))).toEqual(['unknown', null]);
    expect(action(context('A public hearing on annexation', { meeting: { status: 'cancelled' } }))).toEqual(['unknown', null]);
  });
});
