import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { outcomeOf } from '../../src/sources/legistar/outcomes.ts';
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
    expect([of(null, 'Pass'), of('Roll Call Vote', 'Fail')]).toEqual(['approved', 'denied']);
    expect([of('Approved', 'Fail'), of('Laid Over', 'Fail')]).toEqual(['denied', null]);
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
      outcomeOf({ EventItemActionName: null, EventItemPassedFlagName: null, EventItemTitle: 'Example', ...fields, EventItemActionText });
    expect(of('This Introduction was Laid Over by Committee')).toBe('continued');
    expect(of('This Introduction was Laid Over by Committee', { EventItemPassedFlagName: 'Pass' })).toBe('continued');
    expect(of('Approve the First Amendment')).toBeNull();
    expect(of('Denied', { EventItemActionName: 'Approved' })).toBe('approved');
  });

  it.each([
    ['Hearing closed and adopt', 'approved', 'approved'],
    ['Rejected', 'denied', 'denied'],
    ['Approved; Remanded', 'approved', 'approved'],
    ['Approved; with Deferral', 'continued', 'deferred'],
    ['Denied; Remanded', 'denied', 'denied'],
    ['Filed, by Committee', 'no_action', 'filed'],
    ['No Action Taken; To Be Revised', 'no_action', 'no action taken'],
    ['Remanded to the committee that approved it', null, 'referred to another body'],
    ['Passed to agenda', null, 'action'],
    ['Hearing Closed; CPC Recommendation Followed', null, 'decided as recommended'],
    ['Deleted', null, 'deleted from the agenda'],
    ['Held', null, 'action'],
  ] as const)('of the action %j is %j, and the summary says so: %s', (EventItemActionName, outcome, said) => {
    expect(outcomeOf({ EventItemActionName, EventItemTitle: 'Example' })).toBe(outcome);
    for (const stated of [outcome, null]) {
      const [hit] = classifyItem(subject('Rezoning', { item: { actionText: EventItemActionName, outcome: stated } }), shippedTaxonomy);
      expect(hit?.content.summary.split('2026-03-10: ')[1]).toMatch(new RegExp(`^${said}(?: \\(“.*”\\)| “.*”)?\\.$`));
    }
  });
});
