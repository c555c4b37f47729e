import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { stageOfWords } from '../../src/classifier/stage/stage-words.ts';
import { KEYWORDS_ONLY, shippedTaxonomy, subject, type SubjectParts } from '../support/classifier-subjects.ts';

function context(title: string, parts: SubjectParts = {}, day: { readonly today?: string } = {}) {
  const [hit] = classifyItem({ ...subject(title, parts), ...day }, shippedTaxonomy, KEYWORDS_ONLY);
  if (hit === undefined) throw new Error(`no hit: ${title}`);
  return hit.content.proceduralContext;
}

describe('the stage of an item', () => {
  it.each([
    ['Authorize a public hearing to be held on April 8, 2026 on the annexation of land', 'notice'],
    ['A public hearing to receive comments on the annexation of land', 'public_hearing'],
    ['Ordinance on short-term rentals, first reading', 'first_reading'],
    ['Ordinance on short-term rentals, second and final reading', 'final_reading'],
    ['Adopt ordinance on short-term rentals', 'final_action'],
    ['Short-term rentals', 'unknown'],
  ])('"%s" is %s', (title, stage) => expect(context(title).proceduralStage).toBe(stage));

  it.each([
    ['Second reading of three of an ordinance on parking; second of three readings', 'unknown'],
    ['2nd Reading – Adopt the rules (3rd and final reading 6/24)', 'unknown'],
    ['Adopt the rules on first and final reading', 'final_reading'],
    ['Ordinance on parking (First of Three Readings)', 'first_reading'],
    ['Ordinance on parking (First reading held May 26, 2026)', 'unknown'],
    ['Ordinance on parking SECOND READINGS', 'final_action'],
    ['Approve an ordinance and waive the second reading', 'final_action'],
    ['Set a public hearing on parking', 'notice'],
    ['Notice of intention to issue certificates', 'notice'],
    ['Proposed annexation of land - Public Hearing', 'public_hearing'],
    ['Receive public comments on the budget', 'public_hearing'],
    ['Approve the minutes following the public hearing', 'final_action'],
    ['Consider a recommendation to the City Council on parking', 'recommendation'],
    ['Consider a recommendation of the staff on parking', 'final_action'],
    ['Discussion and possible action on parking', 'final_action'],
    ['Discuss and consider parking', 'final_action'],
    ['Receive a report and hold a discussion on parking', 'briefing'],
    ['Update on the parking ordinance', 'briefing'],
    ['Update to the parking fees', null],
    ['Presentation of the budget', 'briefing'],
    ['Police Department Monthly Report', 'briefing'],
    ['Accept the annual report', 'final_action'],
    ['Boundary Update (Resolution 22182)', 'final_action'],
    ['Interlocal agreement with the county', 'final_action'],
    ['Liquor License - Example Hall', null],
    ['Deliberate the appointment of officers', null],
    ['Discuss and consider legal matters under Section 551.071', null],
  ])('of "%s" is %s by its words', (title, stage) => expect(stageOfWords(title)).toBe(stage));

  it('is a briefing in a work session where the words name none', () => {
    const meeting = { title: 'City Council Worksession' };
    expect(context('Short-term rentals', { meeting }).proceduralStage).toBe('briefing');
    expect(context('Adopt rules on short-term rentals', { meeting }).proceduralStage).toBe('final_action');
  });

  it('is a recommendation of a body that recommends only by the words or its outcome, and no final action', () => {
    const of = (title: string, item: SubjectParts['item'] = {}) =>
      context(title, { item, body: { actingBodyRole: 'recommending' } });
    expect(of('Adopt rules on short-term rentals')).toMatchObject({
      proceduralStage: 'unknown',
      actingBodyRole: 'recommending',
    });
    expect(of('Adopt rules on annexation', { outcome: 'approved' }).proceduralStage).toBe('recommendation');
    expect(of('Recommend approval of a rezoning to the Council').proceduralStage).toBe('recommendation');
  });

  it.each([
    [{ actionText: 'This Land Use Application was Hearing Held by Committee' }, 'recommending', 'public_hearing'],
    [{ actionText: 'Approved by Committee', outcome: 'approved' }, 'recommending', 'recommendation'],
    [
      { actionText: 'As recommended by the Rules Committee on August 30, 2017, adopt a policy.' },
      'final_decision_maker',
      'final_action',
    ],
    [{ actionText: 'Report on bids and award of contract for a sewer.' }, 'final_decision_maker', 'final_action'],
    [{ actionText: 'To be heard in the evening.' }, 'final_decision_maker', 'unknown'],
    [{ matterType: 'Public Hearing' }, 'final_decision_maker', 'public_hearing'],
    [{ matterType: 'Consent Agenda' }, 'final_decision_maker', 'final_action'],
    [{ matterType: 'Zoning Case' }, 'final_decision_maker', 'unknown'],
    [{ outcome: 'approved' }, 'final_decision_maker', 'final_action'],
    [{ outcome: 'approved' }, 'unknown', 'unknown'],
  ] as const)('is stated by %j before a %s body where the words name none: %s', (item, actingBodyRole, stage) =>
    expect(context('Annexation of land', { item, body: { actingBodyRole } })).toMatchObject({
      proceduralStage: stage,
      actingBodyRole,
    }),
  );

  it('is a final action once the body that decides has decided at the hearing', () => {
    const stage = (
      item: SubjectParts['item'],
      actingBodyRole: 'final_decision_maker' | 'recommending' = 'final_decision_maker',
    ) =>
      context('A public hearing to receive comments on the annexation of land', { item, body: { actingBodyRole } })
        .proceduralStage;
    expect(stage({ actionText: 'Hearing Closed; CPC Recommendation Followed' })).toBe('final_action');
    expect(stage({ actionText: 'Hearing Closed; Approved', outcome: 'approved' })).toBe('final_action');
    expect(stage({ actionText: 'Hearing Closed; CPC Recommendation Followed' }, 'recommending')).toBe('public_hearing');
    expect(stage({ matterStatus: 'Hearing Closed; Approved' })).toBe('public_hearing');
    expect(stage({ actionText: 'Hearing Closed' })).toBe('public_hearing');
    expect(stage({ actionText: 'Hearing Open; Deferred', outcome: 'continued' })).toBe('public_hearing');
  });

  it('is a hearing of an item that was laid over only where an action names one', () => {
    const stage = (actions: readonly string[]) =>
      context('Adopt rules on short-term rentals', {
        item: {
          actions: actions.map((text) => ({ text, outcome: null })),
          actionText: 'Laid Over by Committee',
          outcome: 'continued',
        },
        body: { actingBodyRole: 'recommending' },
      }).proceduralStage;
    expect(stage(['Hearing Held by Committee', 'Laid Over by Committee'])).toBe('public_hearing');
    expect(stage(['Laid Over by Committee'])).toBe('unknown');
  });

  it('is what an item was listed for also where its meeting was postponed, without a decision or a next step', () => {
    const at = (title: string, status: 'postponed' | 'cancelled', body: SubjectParts['body'] = {}) => {
      const { proceduralStage, nextMeetingDate, actionKind } = context(title, { meeting: { status }, body });
      return [proceduralStage, nextMeetingDate, actionKind];
    };
    expect(at('Call a public hearing on April 8, 2026 on annexation', 'postponed')).toEqual([
      'notice',
      null,
      'unknown',
    ]);
    expect(at('A public hearing to receive comments on annexation', 'postponed')).toEqual([
      'public_hearing',
      null,
      'unknown',
    ]);
    expect(at('Recommend rules on annexation', 'postponed', { actingBodyRole: 'recommending' })).toEqual([
      'recommendation',
      null,
      'unknown',
    ]);
    expect(at('Adopt ordinance on annexation', 'postponed')).toEqual(['unknown', null, 'unknown']);
    expect(at('A public hearing to receive comments on annexation', 'cancelled')).toEqual(['unknown', null, 'unknown']);
  });

  it('names the next body and day only if the text states them and the day is in the future', () => {
    const next = ({ nextBodyName, nextMeetingDate }: ReturnType<typeof context>) => [nextBodyName, nextMeetingDate];
    expect(
      next(
        context(
          'Public hearing on annexation to be held by the Planning and Zoning Commission on Tuesday, April 7, 2026',
        ),
      ),
    ).toEqual(['Planning and Zoning Commission', '2026-04-07']);
    expect(next(context('Rezoning of 5 acres, continued to March 24, 2026'))).toEqual([null, '2026-03-24']);
    expect(
      next(
        context(
          'Rezoning of 5 acres. Note: This item was deferred and is scheduled for consideration on March 10, 2026',
        ),
      ),
    ).toEqual([null, null]);
    expect(next(context('Joint election agreement for the special election to be held on May 2, 2026'))).toEqual([
      null,
      null,
    ]);
    expect(next(context('Rezoning of 5 acres, continued to February 31, 2027'))).toEqual([null, null]);
  });

  it('names a body to which a matter is referred by its short name', () => {
    const referred = (actionText: string) =>
      context('Rezoning of 5 acres', { item: { actionText, outcome: 'approved' } }).nextBodyName;
    expect(referred('Approved by Subcommittee with Modifications and Referred to CPC approved by Roll Call.')).toBe(
      'CPC',
    );
    expect(referred('Approved and Referred to ITS staff.')).toBeNull();
  });

  it('is the final reading of what is listed for its final adoption', () =>
    expect(
      context('Rezoning of 5 acres', { item: { matterType: 'Final Adoption of Ordinance' } }).proceduralStage,
    ).toBe('final_reading'));

  it.each([
    ['Bill No. 7 - An ordinance on rezoning', 'unknown'],
    ['An ordinance on rezoning', 'final_action'],
    ['Contract compliance report on rezoning of the parks', 'unknown'],
    ['A contract for rezoning of the parks', 'final_action'],
  ])('of "%s" is %s', (title, stage) => expect(context(title).proceduralStage).toBe(stage));

  it('is unknown for a name in a list of another paper', () => {
    const stage = (matterType: string) => context('Rezoning of land', { item: { matterType } }).proceduralStage;
    expect([stage('Payment Ordinance'), stage('Ordinance-S')]).toEqual(['unknown', 'final_action']);
  });

  it('names the possible actions, and none once the item is decided', () => {
    const action = ({ actionKind, actionUrl }: ReturnType<typeof context>) => [actionKind, actionUrl];
    const page = 'https://example.org/meetings/1';
    expect(action(context('A public hearing on annexation'))).toEqual(['public_comment', page]);
    expect(action(context('Adopt ordinance on short-term rentals'))).toEqual(['meeting', page]);
    expect(
      action(context('Adopt ordinance on short-term rentals. Register to speak at https://example.org/speak.')),
    ).toEqual(['registration', 'https://example.org/speak']);
    expect(action(context('Rezoning; questions: contact Jo Example at 555-0100'))).toEqual(['meeting', page]);
    expect(action(context('A public hearing on annexation', { item: { outcome: 'approved' } }))).toEqual([
      'unknown',
      null,
    ]);
    expect(action(context('A public hearing on annexation', { meeting: { status: 'cancelled' } }))).toEqual([
      'unknown',
      null,
    ]);
  });

  it('invite to a hearing that was called until its last day is over', () => {
    const approved = { item: { outcome: 'approved' } } as const;
    const step = (title: string, today: string) => {
      const { actionKind, nextMeetingDate } = context(title, approved, { today });
      return [actionKind, nextMeetingDate];
    };
    const several =
      'Authorize public hearings to be held on April 8, 2026, May 6, 2026, and June 3, 2026 on annexation';
    expect(step(several, '2026-04-08')).toEqual(['public_comment', '2026-04-08']);
    expect(step(several, '2026-04-09')).toEqual(['public_comment', '2026-05-06']);
    expect(step(several, '2026-06-03')).toEqual(['public_comment', '2026-06-03']);
    expect(step(several, '2026-06-04')).toEqual(['unknown', '2026-06-03']);
    expect(step('Call a public hearing on April 8, 2026 on annexation', '2026-04-09')).toEqual([
      'unknown',
      '2026-04-08',
    ]);
    expect(step('Call a public hearing on annexation', '2026-04-09')).toEqual(['public_comment', null]);
    expect(step('Call a public hearing on annexation; the plan of April 1, 2026', '2026-04-09')).toEqual([
      'public_comment',
      null,
    ]);
  });

  it('are none on the day after the meeting, whatever its status says', () => {
    const action = (today: string) =>
      context('A public hearing on annexation', { meeting: { status: 'scheduled' } }, { today }).actionKind;
    expect([action('2026-03-03'), action('2026-03-31')]).toEqual(['public_comment', 'unknown']);
  });
});
