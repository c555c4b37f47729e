import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { shippedTaxonomy, subject, type SubjectParts } from '../support/classifier-subjects.ts';

function context(title: string, parts: SubjectParts = {}) {
  const [hit] = classifyItem(subject(title, parts), shippedTaxonomy);
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
