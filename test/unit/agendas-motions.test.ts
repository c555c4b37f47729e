import { describe, expect, it } from 'vitest';
import { outcomeOf, withFailedVote } from '../../src/sources/agendas/outcomes.ts';
import {
  CHANGED_WORDINGS,
  CONTRARY_WORDINGS,
  FURTHER_WORDINGS,
  LAST_WORDINGS,
} from '../support/further-motion-wordings.ts';
import { type RowOutcome, WORDINGS } from '../support/motion-wordings.ts';

/** Outcome of a row whose action name does not state one. */
const outcomeIn = (words: string, flag: string | null, title = 'Example'): RowOutcome =>
  outcomeOf({
    EventItemActionName: 'Vote',
    EventItemActionText: words,
    EventItemPassedFlagName: flag,
    EventItemTitle: title,
  });

const CASES = [...WORDINGS, ...FURTHER_WORDINGS, ...LAST_WORDINGS, ...CHANGED_WORDINGS, ...CONTRARY_WORDINGS].map(
  ([words, passed, unflagged = passed]) => ({
    words,
    passed,
    unflagged,
  }),
);

describe('the words of a motion', () => {
  it.each(CASES)('are read: $words', ({ words, passed, unflagged }) => {
    expect({ pass: outcomeIn(words, 'Pass'), none: outcomeIn(words, null) }).toEqual({ pass: passed, none: unflagged });
  });

  it.each(CASES)('decide nothing beside a failed vote: $words', ({ words }) => {
    // The ordinance itself failed, not a motion on it.
    const hasItemFailed = /ordinance failed|matter failed|RESULT: DEFEATED/.test(words);
    expect(outcomeIn(words, 'Fail')).toBe(hasItemFailed ? 'denied' : null);
  });

  it.each(CASES)('name the same act in capitals: $words', ({ words, passed }) => {
    expect(outcomeIn(words.toUpperCase(), 'Pass')).toBe(passed);
  });
});

/** Base, noun and past tense of an act, and the outcome where a motion to do it carries. */
const ACTS: readonly (readonly [string, string, string, RowOutcome])[] = [
  ['approve', 'approval', 'approved', 'approved'],
  ['adopt', 'adoption', 'adopted', 'approved'],
  ['deny', 'denial', 'denied', 'denied'],
  ['disapprove', 'disapproval', 'disapproved', 'denied'],
  ['continue', 'continuance', 'continued', 'continued'],
  ['table', 'tabling', 'tabled', 'continued'],
  ['lay over', 'layover', 'laid over', 'continued'],
  ['withdraw', 'withdrawal', 'withdrawn', 'withdrawn'],
  ['refer', 'referral', 'referred', null],
  ['rescind', 'rescission', 'rescinded', null],
  ['amend', 'amendment', 'amended', null],
];
const MOTIONS: readonly ((base: string, noun: string, past: string) => string)[] = [
  (base) => `Council Member Ash moved to ${base}`,
  (base) => `Motion: ${base}`,
  (base) => `Mtn Grant/2nd Pass to ${base}`,
  (base) => `Ash made a motion to ${base} and Birch seconded the motion`,
  (_, noun) => `Motion for ${noun} by Ash, second by Birch`,
  (_, __, past) => `A motion was made by Ash, seconded by Birch, that this item be ${past}`,
];
const CARRIED = [
  '. Motion carried.',
  '. The motion passed unanimously.',
  ', carried',
  '. Approved 6-1.',
  '. So ordered.',
  '. Vote: 7-0',
];
const FAILED = [
  '. Motion failed 3-4.',
  '. The motion did not pass.',
  '. Motion died for lack of a second.',
  '. Motion was defeated 2-5',
];
const EARLIER = [
  '',
  'Staff recommended denial. ',
  'The Planning Commission recommended approval 5-2. ',
  'The applicant requested a continuance. ',
  'Five residents spoke and asked the Council to deny the plan. ',
  'Motion to close the hearing carried. ',
  'Motion to table failed. ',
];

describe('the parts of a motion', () => {
  const all = ACTS.flatMap(([base, noun, past, outcome]) =>
    MOTIONS.map((motion) => [motion(base, noun, past), outcome] as const),
  );

  it('decide by the motion and its result, whatever precedes them', () => {
    for (const earlier of EARLIER)
      for (const [motion, outcome] of all) {
        for (const end of CARRIED)
          expect([earlier + motion + end, outcomeIn(earlier + motion + end, null)]).toEqual([
            earlier + motion + end,
            outcome,
          ]);
        for (const end of FAILED)
          expect([earlier + motion + end, outcomeIn(earlier + motion + end, null)]).toEqual([
            earlier + motion + end,
            null,
          ]);
      }
  });

  it('decide together what the motions that carried decide alike', () => {
    for (const [first, one] of all)
      for (const [second, other] of all) {
        // A motion to rescind undoes what was decided before, which leaves the outcome open.
        if (/resci/.test(first + second)) continue;
        const both = one === null || other === null || one === other ? (one ?? other) : null;
        const words = `${first}. Motion carried. ${second}. Motion carried.`;
        expect([words, outcomeIn(words, 'Pass')]).toEqual([words, both]);
        const failed = `${first}. Motion failed. ${second}. Motion carried.`;
        expect([failed, outcomeIn(failed, 'Pass')]).toEqual([failed, other]);
      }
  });
});

describe('the flag of a vote', () => {
  const of = (name: string | null, text: string | null, flag: string | null, title = 'Example') =>
    outcomeOf({
      EventItemActionName: name,
      EventItemActionText: text,
      EventItemPassedFlagName: flag,
      EventItemTitle: title,
    });

  it.each([null, 'Vote', 'Motion', 'Roll Call Vote', 'Motion Passed', 'Carried'])(
    'names no act beside the action %j',
    (name) => {
      expect([of(name, null, 'Pass'), of(name, null, 'Fail'), of(name, null, null)]).toEqual([null, null, null]);
    },
  );

  it.each([
    ['Approved', 'approved'],
    ['Adopted', 'approved'],
    ['Passed', 'approved'],
    ['Enacted', 'approved'],
    ['Approve', 'approved'],
    ['Approved on the Consent Agenda', 'approved'],
    ['Denied', 'denied'],
    ['Disapproved', 'denied'],
    ['Rejected', 'denied'],
    ['Deny', 'denied'],
    ['Continued', 'continued'],
    ['Tabled', 'continued'],
    ['Laid Over', 'continued'],
    ['Postponed Indefinitely', 'no_action'],
    ['Received and Filed', 'no_action'],
    ['Withdrawn', 'withdrawn'],
    ['Referred', null],
    ['Amended', null],
    ['Recommended for Approval', null],
    ['Recommendation of Denial', null],
    ['Passed First Reading', null],
    ['Pass to Council without recommendation', null],
  ] as const)('leaves the action %j what it is', (name, outcome) => {
    expect([of(name, null, 'Pass'), of(name, null, 'Fail')]).toEqual([outcome, null]);
  });

  it('does not make a denial of a vote to approve that failed', () => {
    expect([
      of('Approved', null, 'Fail'),
      of(null, 'Motion to approve', 'Fail'),
      of(null, 'Motion to approve failed', null),
    ]).toEqual([null, null, null]);
    expect([of('Failed', null, 'Fail'), of('Failed', null, null), of('Failed', null, 'Pass')]).toEqual([
      'denied',
      'denied',
      null,
    ]);
  });

  it.each([
    ['Approved', 'Denied', null],
    ['Approved', 'Council Member Ash moved to deny the request. Motion carried 8-1.', null],
    ['Approved', 'Deny the appeal', null],
    ['Approved', 'Motion to overturn the denial carried', null],
    ['Approved', 'Continued to May 5, 2027', null],
    ['Approved', 'Failed to receive a second', null],
    ['Approved', 'Motion failed 2-5', null],
    ['Approved', 'Resolution to fund a failed water main', 'approved'],
    ['Approved', 'Ayes 2, Nays 5', null],
    ['Denied', 'Motion to approve carried 7-0', null],
    ['Approved', 'A motion was made by Ash that this be approved. The motion carried.', 'approved'],
    ['Approved', 'Approve the contract with the first bidder and reject all other bids', 'approved'],
    ['Motion Approved', 'Motion by Ash, seconded by Birch, to deny', 'denied'],
  ] as const)('decides nothing where the action %j and its text %j differ', (name, text, outcome) => {
    expect(of(name, text, 'Pass')).toBe(outcome);
  });

  it.each([
    ['Appeal of the decision of the Zoning Board on 12 Elm Street', 'Motion to deny the appeal carried 5-0', 'denied'],
    ['Appeal of the decision of the Zoning Board on 12 Elm Street', 'Appeal denied 5-0', 'denied'],
    ['Appeal of the decision of the Zoning Board on 12 Elm Street', 'Approved 5-0', null],
    ['Appeal of the decision of the Zoning Board on 12 Elm Street', 'Deny the appeal and uphold the approval', null],
    ['Rezoning of 12 Elm Street', 'Appeal denied 5-0', null],
    ['Resolution denying the rezoning of 12 Elm Street', 'Motion to adopt carried 5-0', null],
    ['Resolution denying the rezoning of 12 Elm Street', 'Adopted', null],
    ['Resolution to refuse a rezoning request', 'Approved', null],
    ['Contract for refuse collection', 'Approved', 'approved'],
    ['Award of a contract and rejection of all other bids', 'Approved', 'approved'],
  ] as const)('says of %j only what %j decides', (title, text, outcome) => {
    expect(of(null, text, 'Pass', title)).toBe(outcome);
  });

  it('is read beside words in RTF and HTML as beside plain ones', () => {
    const words = 'A motion was made by Ash, seconded by Birch, that this item be denied. The motion carried.';
    expect(of('Vote', String.raw`{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0\fs20 ${words}\par}`, 'Pass')).toBe('denied');
    expect(of('Vote', `<p>${words.replace('be denied', '<b>be&nbsp;denied</b>')}</p>`, 'Pass')).toBe('denied');
  });

  it('stands beside the words of a vote that failed, where they do not say so', () => {
    const outcomeOf = (words: string | null, flag: string) => withFailedVote(words, { EventItemPassedFlagName: flag });
    expect([outcomeOf('Approved', 'Fail'), outcomeOf('Approved', 'Pass'), outcomeOf(null, 'Fail')]).toEqual([
      'Approved (Fail)',
      'Approved',
      null,
    ]);
    expect(outcomeOf('Motion to approve. The motion failed 3-4.', 'Fail')).toBe(
      'Motion to approve. The motion failed 3-4.',
    );
  });

  it('decides nothing beside words that are longer than what is read', () => {
    const talk = 'Members of the public were heard on the plan. '.repeat(200);
    expect(of(null, `Motion to approve. ${talk} Motion to deny carried.`, 'Pass')).toBeNull();
  });
});
