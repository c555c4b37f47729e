import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../src/sources/legistar/outcomes.ts';

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
});
