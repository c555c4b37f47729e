import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { NO_IMPACT } from '../../src/classifier/hit-texts.ts';
import { affectedLocation } from '../../src/classifier/locations/affected-location.ts';
import { operativeText } from '../../src/classifier/operative-text.ts';
import { statedAmount, statedParties } from '../../src/classifier/stated-facts.ts';
import { clipped, itemSubject } from '../../src/classifier/subject-sentence.ts';
import { shippedTaxonomy, subject, type SubjectParts } from '../support/classifier-subjects.ts';

const about = (title: string, item: SubjectParts['item'] = {}): string =>
  itemSubject(subject(title, { item }).item, operativeText(title));

describe('a text that is cut', () => {
  it.each([
    [
      'Repair the signals and improvements for accessibility to the station of trains',
      60,
      'Repair the signals and improvements …',
    ],
    [
      'Establish the costs of roads and the methods of assessing special assessments for parks',
      70,
      'Establish the costs of roads …',
    ],
    [
      'Increase the pay of the agreement on plans from $3,000,000 to $12,000,000 a year',
      59,
      'Increase the pay of the agreement on plans …',
    ],
    [
      'Authorize a contract on the lake between the City of Sample and the Town of Example',
      62,
      'Authorize a contract on the lake …',
    ],
  ])('ends with a whole thing: "%s"', (text, limit, end) => expect(clipped(text, limit, 0.5)).toBe(end));
});

describe('the subject of an item', () => {
  it('keeps a time limit that stands elsewhere', () =>
    expect(about('Adopt a rule on reports due not later than May of each year, with a list')).toContain(
      'later than May',
    ));

  it('keeps the verb behind a time limit', () =>
    expect(
      about(
        'An ordinance requiring staff to, not later than seven days after approval of the plan, file a copy of the plan',
      ),
    ).toBe('Require staff to file a copy of the plan'));

  it('has its second verb in the same mood, unlike a verb behind "by"', () => {
    expect(about('Authorize (1) a plan; (2) closing the public hearing and levying a special assessment')).toBe(
      'Authorize a plan; close the public hearing and levy a special assessment',
    );
    expect(about('An ordinance abandoning an alley, near the lake; and authorizing the quitclaim')).toBe(
      'Abandon an alley, near the lake; and authorize the quitclaim',
    );
    expect(about('An ordinance amending the code by adding a chapter and revising the fees')).toBe(
      'Amend the code by adding a chapter and revising the fees',
    );
  });

  it('keeps the steps behind an amount', () =>
    expect(
      about(
        'Authorize (1) a contract for pipes - Not to exceed $5.00; and (2) a lease of land - Total not to exceed $9.00',
      ),
    ).toBe('Authorize a contract for pipes; a lease of land'));

  it('names no firms of a list as points', () => {
    const firms =
      '\n(1) Sample, Inc. (San Diego, CA)\n(2) Example & Co (Oakland, CA)\n(3) Example Group New York, NY)\n(4) Sample (Portland, OR)\nCEQA: Not a Project. (Finance)';
    expect(
      about('Agreements for plans.', {
        actionText: `Adopt a resolution to raise the pay from $3 to $12 for the consultants listed below.${firms}`,
      }),
    ).toBe('Raise the pay from $3 to $12 for the consultants listed below. Sample, Inc. (San Diego, CA) and 3 others.');
  });

  it('is the proposed action also where the title is a noun of action or calls a hearing', () => {
    expect(
      about('Amendment to the Agreement with Example, Inc. for Design.', {
        actionText:
          'Approve the amendment to: (1) increase the pay by $500,000, and (2) to increase the hourly rates. CEQA: Not a Project',
      }),
    ).toBe('Approve the amendment to increase the pay by $500,000; to increase the hourly rates.');
    const hearing = {
      actionText:
        '(a) Conduct a Public Hearing pursuant to Government Code Section 5 regarding support to Sample Airlines.\n(b) Adopt a resolution to provide the support program to new service as outlined in below:\n\nAirline: Sample\nMarket: Example',
    };
    expect(about('Public Hearing on the Support Program.', hearing)).toBe(
      'Public hearing: Support to Sample Airlines; adopt a resolution to provide the support program to new service',
    );
    const [hit] = classifyItem(subject('Public Hearing on a lease of land.', { item: hearing }), shippedTaxonomy);
    expect(hit?.content.businessImpact).toContain('to new service”');
  });
});

describe('stated amounts', () => {
  it.each([
    [
      'Authorize a decrease - Not to exceed ($672.80), decreasing the contract amount from $2,249.45 to $1,577.65 - Financing',
      'Not to exceed ($672.80), decreasing the contract amount from $2,249.45 to $1,577.65',
    ],
    [
      'A contract - Estimated Annual Gross Revenue: $25,150.00 - General Fund ($14,425.00)',
      'Estimated Annual Gross Revenue: $25,150.00',
    ],
  ])('of "%s"', (text, amount) => expect(statedAmount(text)).toBe(amount));

  it.each([
    [
      'Contracts for tests - Alpha Sample, LLC in an amount not to exceed $259.00, and HVJ North Example - Sample Consultants, Inc. dba HVJ Sample in an amount not to exceed $250.00',
      ['Alpha Sample, LLC', 'HVJ North Example - Sample Consultants, Inc. dba HVJ Sample'],
      ['not to exceed $259.00', 'not to exceed $250.00'],
    ],
    [
      'Authorize a Contract with Jo Sample, Inc. in the Amount of $7,594.50, Authorize Execution of Amendment No. 8 in the Amount of $250.00 to an Engineering Agreement with Example and Sample, Inc. for pipes',
      ['Jo Sample, Inc.', 'Example and Sample, Inc.'],
      ['$7,594.50', '$250.00'],
    ],
    ['A contract with Alpha, Inc. and Beta, Inc. in the amount of $5.00', ['Alpha, Inc.', 'Beta, Inc.'], []],
    [
      'Contracts with Alpha, Inc. in the amount of $5.00, Beta, Inc. in the amount of $6.00 and Alpha, Inc. in the amount of $9.00',
      ['Alpha, Inc.', 'Beta, Inc.'],
      [],
    ],
    [
      'Issue bonds by Alpha, Inc. in an amount not to exceed $9.00 and lend Beta, LP the amount in the amount of $6.00',
      ['Alpha, Inc.', 'Beta, LP'],
      [],
    ],
  ])('are tied to the parties of "%s"', (text, names, sums) =>
    expect(statedParties(text, '')).toMatchObject({ names, sums }),
  );

  it('of several parties stand behind each of them', () => {
    const [hit] = classifyItem(
      subject(
        'Authorize a purchase of pipes - Alpha, Inc. in the amount of $5.00 and Beta, Inc. in the amount of $7.00, lowest bidders of two - Total not to exceed $12.00',
      ),
      shippedTaxonomy,
    );
    expect(hit?.content.summary).toContain('Named: Alpha, Inc. ($5.00); Beta, Inc. ($7.00) (lowest bidders of two).');
  });
});

describe('parties', () => {
  it.each([
    [
      'An agreement with Oak Sample Street LLC, a Delaware Limited Liability Company, for a walk',
      ['Oak Sample Street LLC'],
    ],
    ['An agreement with Oak Sample Street LLC (Texas Limited Liability Company) for a walk', ['Oak Sample Street LLC']],
    ['A contract with The Sample Group, Inc., a Jo Example Company to survey', ['Sample Group, Inc.']],
    [
      'A contract with The Sample Group, Inc. and Jo Example Company to survey',
      ['Sample Group, Inc.', 'Jo Example Company'],
    ],
    ['A lease with Sample Limited Partnership for land', ['Sample Limited Partnership']],
    [
      'A contract with Roe & Poe, P.C. on Doe v. Board of Adjustment for the City of Sample and Example2, LLC',
      ['Roe & Poe, P.C.', 'Example2, LLC'],
    ],
    [
      'Change the Board of Directors of the Sample Convention Center Hotel Development Corporation',
      ['Sample Convention Center Hotel Development Corporation'],
    ],
    ['A lease with the Board of Regents of Sample College for land', ['Sample College']],
    [
      'Funds From Profits at the Sample Coliseum, for the Purpose of Reimbursing Example Coliseum LLC for Roofs',
      ['Example Coliseum LLC'],
    ],
    ['A lease with Example Coliseum LLC for a hall', ['Example Coliseum LLC']],
    [
      'Purchase of eight Air Circuit - Bridge Mount heating, and air conditioning units from Sample Air Systems, Inc., sole source',
      ['Sample Air Systems, Inc.'],
    ],
    ['Purchase of shirts - Gifts from Sample, Inc., sole source', ['Gifts from Sample, Inc.']],
    ['Nominate the Oak Power Plant (A.K.A. Sample Electric Service Company North Main Plant)', undefined],
    ['Nominate the hall of Sample Electric Service Company', ['Sample Electric Service Company']],
  ])('are whole in "%s"', (text, names) => expect(statedParties(text, '')?.names).toEqual(names));

  it('are not stated where the text has a name of more words than are read', () => {
    const loan = (name: string) =>
      statedParties(`Lend to Sample Housing I, LP $5.00 for Village at ${name}, LP $6.00`, '')?.names;
    expect(loan('Oak I Apartments I and Oak Senior Sample II')).toBeUndefined();
    expect(loan('Oak II')).toEqual(['Sample Housing I, LP', 'Village at Oak II, LP']);
    expect(statedParties('Contracts with One, Inc. Two Holdings, LLC for plans', '')?.names).toEqual([
      'One, Inc.',
      'Two Holdings, LLC',
    ]);
  });

  it('who submit amendments of a charter apply for nothing', () => {
    const text =
      'An ordinance on three proposed amendments to the Sample City Charter, submitted by Sample Initiative pursuant to Section 9';
    expect(statedParties(text, '')).toMatchObject({ role: 'initiator', names: ['Sample Initiative'] });
    expect(statedParties('An application submitted by Sample Initiative for a permit', '')?.role).toBe('applicant');
  });

  it('that are examples are named as such', () =>
    expect(
      statedParties(
        'Acceptance of grants from Organizations, Including, but Not Limited to, Sample Charities, Inc., for pets',
        '',
      ),
    ).toMatchObject({ names: ['Sample Charities, Inc.'], chosen: 'not limited to these' }));
});

describe('what has no effect', () => {
  const hit = (
    item: SubjectParts['item'],
    title = 'Rezoning to allow late hours at 12 Example Street',
    today = '2026-03-10',
  ) => classifyItem({ ...subject(title, { item }), today }, shippedTaxonomy)[0]?.content;

  it.each([
    [{ outcome: 'denied' }, 'The item was denied.'],
    [{ outcome: 'withdrawn' }, 'The item was withdrawn.'],
    [{ actionText: 'Deleted' }, 'The action is “Deleted”.'],
  ] as const)('is told as such: %j', (item, end) =>
    expect(hit(item)?.businessImpact).toBe(`Permission stated: “to allow late hours at 12 Example Street”. ${end}`),
  );

  it('is told after the meeting by the status of the file', () => {
    const impact = (today: string) => hit({ matterStatus: 'Hearing Closed; Denied' }, undefined, today)?.businessImpact;
    expect(impact('2026-03-11')).toMatch(/”\. The status of the file is “Hearing Closed; Denied”\.$/);
    expect(impact('2026-03-10')).toMatch(/late hours at 12 Example Street”\.$/);
  });

  it('is told only where an effect is stated, and of nothing that was approved', () => {
    expect(hit({ outcome: 'approved' })?.businessImpact).toMatch(/”\.$/);
    expect(hit({ outcome: 'denied' }, 'Rezoning case')?.businessImpact).toBe(NO_IMPACT);
  });

  it('may be noticed again', () => {
    const dropped = hit(
      { outcome: 'withdrawn', actionText: 'Adopt the rezoning.\nDROP TO BE RENOTICED' },
      'Rezoning to allow late hours. DROP',
    );
    expect(dropped?.summary).toMatch(/: dropped from this agenda, to be noticed again\.$/);
    expect(dropped?.businessImpact).toMatch(/The item was dropped from this agenda, to be noticed again\.$/);
    expect(dropped?.proceduralContext).toMatchObject({ proceduralStage: 'unknown', actionKind: 'unknown' });
  });
});

describe('a district with the area outside of the city', () => {
  it('is a place', () =>
    expect(affectedLocation(['(CD 7 and ETJ) Pipes']).locations).toEqual([
      { kind: 'area', sourceText: 'CD 7 and ETJ' },
    ]));
});
