import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { outcomeOf, withFailedVote } from '../../src/sources/agendas/outcomes.ts';
import { shippedTaxonomy, subject } from '../support/classifier-subjects.ts';

describe('the outcome of an item', () => {
  it('is stated only if the words are unambiguous', () => {
    const of = (action: string | null, passed: string | null = null) =>
      outcomeOf({ EventItemActionName: action, EventItemPassedFlagName: passed, EventItemTitle: 'Example' });
    expect(of('Approved as an Individual Item')).toBe('approved');
    expect(of('Deferred')).toBe('continued');
    expect(of('Hearing Closed; CPC Recommendation Followed')).toBeNull();
    expect(of('Held')).toBeNull();
    expect(of(null)).toBeNull();
    expect(of('Approved, by Council')).toBe('approved');
    expect(of('P-C Item Approved by Committee with Companion Resolution', 'Pass')).toBe('approved');
    expect(of('P-C Item Laid Over by Comm')).toBe('continued');
    expect(of('Laid Over by Subcommittee')).toBe('continued');
    expect(of('Disapproved by Subcommittee')).toBe('denied');
    expect(of('Filed, by Committee')).toBe('no_action');
    expect(of('Hearing Held by Committee')).toBeNull();
    expect(of('Amended by Committee', 'Pass')).toBeNull();
    expect([of('Passed'), of('Failed')]).toEqual(['approved', 'denied']);
    expect([of(null, 'Pass'), of('Roll Call Vote', 'Fail')]).toEqual([null, null]);
    expect([of('Approved', 'Fail'), of('Laid Over', 'Fail')]).toEqual([null, null]);
  });

  it.each([
    ['Rezoning of 12 Elm Street. DROP', 'withdrawn'],
    ['Rezoning of 12 Elm Street (WITHDRAWN BY APPLICANT)', 'withdrawn'],
    ['WITHDRAWN BY THE APPLICANT: Rezoning of 12 Elm Street', 'withdrawn'],
    ['REZONING OF 12 ELM STREET - DROP', 'withdrawn'],
    ['CONTRACT FOR A BALLOT DROP', null],
    ['Contract for a ballot drop', null],
    ['DROP-OFF ZONE at 12 Elm Street', null],
  ])('of the title %j is %j', (EventItemTitle, outcome) => {
    expect(outcomeOf({ EventItemActionName: null, EventItemPassedFlagName: null, EventItemTitle })).toBe(outcome);
  });

  it('is that of the text on the action where the action has no name', () => {
    const of = (EventItemActionText: string, fields: object = {}) =>
      outcomeOf({
        EventItemActionName: null,
        EventItemPassedFlagName: null,
        EventItemTitle: 'Example',
        ...fields,
        EventItemActionText,
      });
    expect(of('This Introduction was Laid Over by Committee')).toBe('continued');
    expect(of('This Introduction was Laid Over by Committee', { EventItemPassedFlagName: 'Pass' })).toBe('continued');
    expect(of('Approve the First Amendment')).toBeNull();
    expect(of('Denied', { EventItemActionName: 'Approved' })).toBeNull();
  });

  it.each([
    'The bond program was approved by voters in 2017; authorize the sale of bonds',
    'This project was deferred from 2024; approve the contract now',
    'This contract was approved in 2020. Approve renewal.',
    'This contract was approved. Approve renewal.',
    'Approved by the Finance Committee on March 3, 2026',
    'Approved continued funding of the housing program',
    'Continued discussion of the budget',
    'Approved an agreement to repair failed pavement on Main Street',
    'Adopted an ordinance on failed septic systems',
    'Passed Away: In memory of John',
  ])('is not read from the text %j, which is no action of the meeting', (EventItemActionText) => {
    expect(outcomeOf({ EventItemActionName: null, EventItemTitle: 'Example', EventItemActionText })).toBeNull();
  });

  it.each([
    'Approved with Item 4 withdrawn',
    'Approved, except Item 3 denied',
    'Approved, tabled items excluded',
    'Approved on First Reading; continued to second reading',
    'Approved; with Deferral',
  ])('is not read from the action %j, which says two things', (EventItemActionName) => {
    expect(outcomeOf({ EventItemActionName, EventItemTitle: 'Example' })).toBeNull();
  });

  const MOVED = 'A motion was made by Smith, seconded by Jones, that this item be';
  it.each([
    [
      'Vote',
      `${MOVED} approved. The motion failed by the following vote:`,
      'Fail',
      null,
      `Action on March 10, 2026: “${MOVED} approved. The motion failed by the following vote:”`,
    ],
    [
      'Vote',
      `${MOVED} approved. The motion failed by the following vote:`,
      null,
      null,
      `Action on March 10, 2026: “${MOVED} approved. The motion failed by the following vote:”`,
    ],
    [
      'Vote',
      `${MOVED} approved. The motion carried by the following vote:`,
      'Pass',
      'approved',
      'Approved on March 10, 2026',
    ],
    ['Vote', `${MOVED} approved.`, 'Fail', null, `Action on March 10, 2026: “${MOVED} approved. (Fail)”`],
    ['Approved', null, 'Fail', null, 'Action on March 10, 2026: “Approved (Fail)”'],
    [
      'Vote',
      'A motion was made that this be denied',
      'Fail',
      null,
      'Action on March 10, 2026: “A motion was made that this be denied (Fail)”',
    ],
    ['Deferred', null, 'Fail', null, 'Action on March 10, 2026: “Deferred (Fail)”'],
    ['Denied', null, 'Fail', null, 'Action on March 10, 2026: “Denied (Fail)”'],
    ['Failed', null, 'Fail', 'denied', 'Denied on March 10, 2026'],
    ['Vote', 'Deleted', 'Pass', null, 'Action on March 10, 2026: “Deleted”'],
    [
      'Vote',
      'Referred to the Finance Committee',
      'Pass',
      null,
      'Action on March 10, 2026: “Referred to the Finance Committee”',
    ],
    ['Vote', 'Approve the contract', 'Pass', 'approved', 'Approved on March 10, 2026'],
    ['Vote', 'Motion to deny carried', 'Pass', 'denied', 'Denied on March 10, 2026'],
    ['Vote', 'Motion to deny', 'Fail', null, 'On the agenda of March 10, 2026'],
    ['Vote', 'Motion to table carried', 'Pass', 'continued', 'Deferred on March 10, 2026'],
    ['Vote', 'Motion to approve failed; motion to deny carried', 'Pass', 'denied', 'Denied on March 10, 2026'],
    ['Vote', 'Motion to approve carried', 'Pass', 'approved', 'Approved on March 10, 2026'],
    [
      'Vote',
      'Motion to approve by A, second by B. Motion to approve carried.',
      'Pass',
      'approved',
      'Approved on March 10, 2026',
    ],
    ['Vote', 'Motion to authorize the contract carried', 'Pass', 'approved', 'Approved on March 10, 2026'],
    ['Vote', 'Motion to ratify', 'Fail', null, 'On the agenda of March 10, 2026'],
    ['Vote', 'Deny the application', 'Pass', 'denied', 'Denied on March 10, 2026'],
    ['Vote', 'Reject all bids', 'Pass', null, 'On the agenda of March 10, 2026'],
    ['Vote', 'Motion to reject all bids carried', 'Pass', null, 'On the agenda of March 10, 2026'],
  ] as const)(
    'of %s, %j, %s agrees with the summary',
    (EventItemActionName, EventItemActionText, EventItemPassedFlagName, outcome, message) => {
      const row = { EventItemActionName, EventItemActionText, EventItemPassedFlagName, EventItemTitle: 'Example' };
      expect(outcomeOf(row)).toBe(outcome);
      const actionText = withFailedVote(EventItemActionText ?? EventItemActionName, row);
      const [hit] = classifyItem(
        subject('Rezoning of sample land', { item: { actionText, outcome } }),
        shippedTaxonomy,
      );
      expect(hit?.content.summary.replace(/ \(“.*”\)/, '')).toBe(`Rezoning of sample land. ${message}`);
    },
  );

  it.each([
    ['Hearing closed and adopt', 'approved', 'Approved on March 10, 2026'],
    ['Approved motion to deny', 'denied', 'Denied on March 10, 2026'],
    ['Hearing Closed; CPC Recommendation Followed and Denied without Prejudice', 'denied', 'Denied on March 10, 2026'],
    ['Rejected', 'denied', 'Denied on March 10, 2026'],
    ['Approved; Remanded', 'approved', 'Approved on March 10, 2026'],
    ['Denied; Remanded', 'denied', 'Denied on March 10, 2026'],
    ['Filed, by Committee', 'no_action', 'Filed on March 10, 2026'],
    ['No Action Taken; To Be Revised', 'no_action', 'No action taken on March 10, 2026'],
    ['Remanded to the committee that approved it', null, 'Action on March 10, 2026'],
    ['Passed to agenda', null, 'Action on March 10, 2026'],
    ['APPROVED AS TO FORM', null, 'Action on March 10, 2026'],
    ['Approved for Introduction', null, 'Action on March 10, 2026'],
    ['Approved for Referral', null, 'Action on March 10, 2026'],
    ['Hearing Closed; CPC Recommendation Followed', null, 'Action on March 10, 2026'],
    ['Deleted', null, 'Action on March 10, 2026'],
    ['Held', null, 'Action on March 10, 2026'],
  ] as const)('of the action %j is %j, and the summary says so: %s', (EventItemActionName, outcome, message) => {
    expect(outcomeOf({ EventItemActionName, EventItemTitle: 'Example' })).toBe(outcome);
    for (const stated of [outcome, null]) {
      const [hit] = classifyItem(
        subject('Rezoning of sample land', { item: { actionText: EventItemActionName, outcome: stated } }),
        shippedTaxonomy,
      );
      const clause = stated === null ? 'Action on March 10, 2026' : message;
      expect(hit?.content.summary).toMatch(new RegExp(`^Rezoning of sample land\\. ${clause}(?: \\(“.*”\\)|: “.*”)?$`));
    }
  });
});
