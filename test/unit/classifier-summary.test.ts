import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { shortened, WORDS_LIMIT } from '../../src/classifier/texts/summary.ts';
import { titleWordsOf } from '../../src/classifier/texts/title-words.ts';
import { KEYWORDS_ONLY, shippedTaxonomy, subject, type SubjectParts } from '../support/classifier-subjects.ts';

function summary(title: string, parts: SubjectParts = {}): string {
  const [hit] = classifyItem(subject(title, parts), shippedTaxonomy, KEYWORDS_ONLY);
  if (hit === undefined) throw new Error(`no hit: ${title}`);
  return hit.content.summary;
}

describe('the words of a title', () => {
  it.each([
    [
      'Discuss and consider rezoning 5 acres; providing a severability clause; and providing an effective date.',
      'Rezoning 5 acres',
    ],
    [
      'AN ORDINANCE AMENDING CHAPTER 5; CONTAINING A CUMULATIVE CLAUSE; CONTAINING A SAVINGS AND SEVERABILITY CLAUSE; AND ORDERING PUBLICATION',
      'AN ORDINANCE AMENDING CHAPTER 5',
    ],
    [
      'Ordinance closing an alley; repealing all ordinances in conflict; making other provisions related to the subject; providing for repeal',
      'Ordinance closing an alley',
    ],
    ['2020-099 – RESOLUTION APPROVING A CONTRACT', 'RESOLUTION APPROVING A CONTRACT'],
    ['Bill No. 7182 – An Ordinance on parking', 'An Ordinance on parking'],
    ['***ITEM REVISED (SEE MEMO)*** (CONTINUED FROM MAY 4) - Amend the parking code', 'Amend the parking code'],
    ['(CD 7) Lease land to Jo Example', 'Lease land to Jo Example'],
    ['Consider and act on a lease with Jo Example and any appropriate action', 'A lease with Jo Example'],
    ['Conduct a public hearing to receive comments on the annexation of land', 'Annexation of land'],
    ['Conduct a public hearing and consider an ordinance on parking', 'An ordinance on parking'],
    [
      'An Ordinance of the City Council of the City of Example, Texas, amending the code',
      'An Ordinance amending the code',
    ],
    ['Approve a lease. Requested by Jo Example.', 'Approve a lease.'],
    ['Approve the plan for Example Park. Plan of Example Park.PDF Exhibit A', 'Approve the plan for Example Park.'],
    ['SUBJECT: Lease of the hall STAFF REPORT: J. Example', 'Lease of the hall'],
    ['Lease of the hall The City Council will consider a lease', 'Lease of the hall'],
    ['Discuss and take action to approved work at the hall', 'Discuss and take action to approved work at the hall'],
    ['Possible action related to the lease of the hall', 'Lease of the hall'],
    ['Adopt a plan for the hall (Sheriff) Supervisorial District(s): All', 'Adopt a plan for the hall'],
    ['Sample Lane Annexation(Example)', 'Sample Lane Annexation'],
    ['A fence ordinance (First Reading)', 'A fence ordinance (First Reading)'],
    ['Lease of the hall Communication: AB-1', 'Lease of the hall'],
    ['Accept a sewer at Oak Street (MWS Project No. 21 and Proposal No. 2)', 'Accept a sewer at Oak Street'],
    [
      'Authorizing Sample County, acting by and through the Department of Water, to lease a hall',
      'Authorizing Sample County to lease a hall',
    ],
    [
      'Amending Title 17, the Zoning Ordinance of Sample County, by rezoning land',
      'Amending Title 17, by rezoning land',
    ],
    ['Approve a lease with the county. Section III – Planning:', 'Approve a lease with the county.'],
  ])('of "%s" are "%s"', (title, words) => expect(titleWordsOf(title)).toBe(words));

  it.each([
    'Consider whether to close the pool',
    'Action Plan of the housing office',
    'Public hearing to be held on April 8, 2026 on annexation',
    'Item 5',
    '12 Example Street',
    'Repeal the curfew; and repeal the noise rules for parks',
    '(Second Reading) Ordinance on parking',
    'Discussion',
  ])('of "%s" are all of it', (title) => expect(titleWordsOf(title)).toBe(title));
});

describe('a title that is cut', () => {
  const filler =
    'Authorize a contract for the careful repair of many old walls and of the painting of rails near the lake and';
  it.each([
    [
      `${filler} more; then thirty further things that nobody can read in one line of a list, with care and time and paint`,
      / in one line of a list …$/,
    ],
    [
      `${filler} signs of the city, paying Example Builders and all of its owners $290 for each newly created good job of the town`,
      /of the city …$/,
    ],
    [
      `${filler} signs on 4 lots from an office district of the old town to a retail district of the new one, and so on and on`,
      /4 lots …$/,
    ],
    [`${filler} it ends. ${'Other words follow here. '.repeat(6)}`, /Other words follow here\.$/],
  ])('"%s" ends between clauses', (text, end) => {
    const words = shortened(text);
    expect(words).toMatch(end);
    expect(words.length).toBeLessThanOrEqual(WORDS_LIMIT);
    expect(text.startsWith(words.replace(/ …$/, ''))).toBe(true);
  });

  it('ends inside of no name', () => {
    const name = 'Friends for the Old Parks in Example Town with Sample Lakes and Hills of the North and West';
    const text = `${filler} a grant to ${name}`;
    const start = text.indexOf(name);
    expect(shortened(text)).toMatch(/ in Example Town …$/);
    expect(shortened(text, [{ start, end: text.length }])).toMatch(/ a grant …$/);
  });

  it('ends at a word where it has no clause', () =>
    expect(shortened('word '.repeat(80).trim())).toMatch(/^(?:word )+…$/));

  it.each(['pertaining to', 'in conjunction with', 'for property located at', 'associated with'])(
    'does not end with "%s"',
    (words) => expect(shortened(`A rule, ${'x'.repeat(150)} ${words} ${'Y'.repeat(60)}`)).toMatch(/x …$/),
  );
});

describe('the summary', () => {
  it('is the title, then what happens and the number of the file', () => {
    const title = 'Authorize a construction contract with Example Builders, Inc. for sidewalk repairs';
    expect(summary(title, { item: { matterFile: '26-0012' } })).toBe(
      `${title}. Up for a vote March 10, 2026 · file 26-0012`,
    );
    expect(summary(title, { item: { matterFile: '26-0012', outcome: 'approved' } })).toBe(
      `${title}. Approved on March 10, 2026 · file 26-0012`,
    );
    expect(summary('Speed limit in school zones')).toBe('Speed limit in school zones. On the agenda of March 10, 2026');
  });

  it('names the day at the place of the meeting', () =>
    expect(summary('Rezoning of land', { meeting: { startsAt: '2026-03-31T23:00:00.000Z' } })).toMatch(
      / March 31, 2026$/,
    ));

  it('of a title that says nothing has the words of the matter or the text', () => {
    expect(
      summary('ORDINANCE NO. 123', {
        item: {
          actionText:
            'ORD NO. 123 - An Ordinance of the City of Sample City amending the code to add a zoning district. CEQA: Not a Project.',
        },
      }),
    ).toMatch(/^ORDINANCE NO\. 123: An Ordinance amending the code to add a zoning district\./);
    expect(summary('Int 5', { item: { matterName: 'Zoning of sidewalks', text: 'Zoning district' } })).toMatch(
      /^Int 5: Zoning of sidewalks\./,
    );
  });
});
