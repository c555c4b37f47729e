import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { NO_IMPACT } from '../../src/classifier/texts/business-impact.ts';
import { KEYWORDS_ONLY, shippedTaxonomy, subject, type SubjectParts } from '../support/classifier-subjects.ts';

function content(title: string, parts: SubjectParts = {}) {
  const [hit] = classifyItem(subject(title, parts), shippedTaxonomy, KEYWORDS_ONLY);
  if (hit === undefined) throw new Error(`no hit: ${title}`);
  return hit.content;
}
const context = (title: string, parts: SubjectParts = {}) => content(title, parts).proceduralContext;

describe('what became of an item', () => {
  it.each<[string, SubjectParts, string]>([
    ['is listed while nothing has ended it', {}, 'Public hearing March 10, 2026'],
    [
      'is past when the meeting was held',
      { meeting: { status: 'held' } },
      'Public hearing March 10, 2026; the record gives no outcome',
    ],
    [
      'is not reached when the meeting was cancelled',
      { meeting: { status: 'cancelled' } },
      'Meeting of March 10, 2026 canceled',
    ],
    [
      'is decided',
      { item: { actionText: 'Hearing Closed; CPC Recommendation Followed' } },
      'Action on March 10, 2026: “Hearing Closed; CPC Recommendation Followed”',
    ],
    ['is deleted', { item: { actionText: 'Deleted' } }, 'Action on March 10, 2026: “Deleted”'],
    [
      'is withdrawn',
      { item: { matterStatus: 'Approved', outcome: 'withdrawn' } },
      'Withdrawn from the agenda of March 10, 2026',
    ],
    [
      'is deferred',
      { item: { actionText: 'Hearing Open; Deferred', outcome: 'continued' } },
      'Deferred on March 10, 2026 (“Hearing Open; Deferred”)',
    ],
    [
      'is laid over',
      {
        item: {
          actionText: 'This Introduction was Laid Over by Committee',
          matterStatus: 'Adopted',
          outcome: 'continued',
        },
      },
      'Deferred on March 10, 2026 (“Laid Over by Committee”)',
    ],
    [
      'is disapproved',
      {
        item: {
          actionText: 'A motion was made that this be Disapproved by Subcommittee approved by Roll Call.',
          outcome: 'denied',
        },
      },
      'Denied on March 10, 2026 (“Disapproved by Subcommittee”)',
    ],
    [
      'is sent back',
      { item: { actionText: 'Remanded to a Council Committee' } },
      'Action on March 10, 2026: “Remanded to a Council Committee”',
    ],
    [
      'has words of a decision without an outcome',
      { item: { actionText: 'A motion was made that this be Denied.' } },
      'Action on March 10, 2026: “A motion was made that this be Denied.”',
    ],
    [
      'was amended',
      { item: { actionText: 'Amended by Committee' } },
      'Action on March 10, 2026: “Amended by Committee”',
    ],
    [
      'is past beside the status that its file has now',
      { item: { matterStatus: 'Approved' }, meeting: { status: 'held' } },
      'Approved (status of the file) · agenda of March 10, 2026',
    ],
    [
      'is listed before its meeting, whatever the status of its file',
      { item: { matterStatus: 'Approved' } },
      'Public hearing March 10, 2026',
    ],
    [
      'is listed again after it was continued',
      { item: { matterStatus: 'Continued' } },
      'Public hearing March 10, 2026',
    ],
    ['is on its way', { item: { matterStatus: 'Agenda Ready' } }, 'Public hearing March 10, 2026'],
  ])('%s', (_, parts, end) => {
    const hit = content('A public hearing on annexation of land', parts);
    expect(hit.summary).toBe(`Annexation of land. ${end}`);
    expect(hit.businessImpact).toBe(NO_IMPACT);
    const isOpen = end === 'Public hearing March 10, 2026';
    expect(hit.proceduralContext.actionKind).toBe(isOpen ? 'public_comment' : 'unknown');
    expect(hit.proceduralContext.actionUrl === null).toBe(!isOpen);
  });

  it('quotes the title that marks an end without an outcome', () => {
    expect(content('A public hearing on annexation of land. DEFERRED').summary).toMatch(
      / Marked “DEFERRED” on the agenda of March 10, 2026$/,
    );
    expect(content('Rezoning, from January 1 to May 4. DELETED', { item: { outcome: 'approved' } }).summary).toMatch(
      / Approved on March 10, 2026$/,
    );
  });

  it('invites to a hearing that the status of its file alone would call only while the item is open', () => {
    const title = 'Call a public hearing to be held on December 9, 2026 on annexation';
    const kind = (item: SubjectParts['item'], status: 'held' | 'scheduled' = 'held') =>
      context(title, { item, meeting: { status } }).actionKind;
    expect(['Approved', 'Adopted', undefined].map((matterStatus) => kind({ matterStatus }))).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
    expect([kind({ outcome: 'approved' }), kind({ actionText: 'Approved' })]).toEqual(['public_comment', 'unknown']);
    expect(kind({ matterStatus: 'Approved' }, 'scheduled')).toBe('public_comment');
  });

  it('stays open beside an action that tells its history or proposes one', () => {
    for (const actionText of [
      'The bond program was approved by voters in 2017; authorize the sale of bonds.',
      'This project was deferred from 2024; approve the contract now',
      'Continued discussion of the budget',
    ]) {
      expect(context('A public hearing on annexation', { item: { actionText } }).actionKind).toBe('public_comment');
    }
  });

  it('promises nothing of an item that was deleted, also where its words name a next step', () => {
    const title =
      'Authorize a public hearing to be held on April 8, 2026 on annexation. Register to speak at https://example.org/speak.';
    expect(context(title).actionKind).toBe('registration');
    expect(context(title, { item: { outcome: 'approved' } })).toMatchObject({
      nextMeetingDate: '2026-04-08',
      actionKind: 'registration',
    });
    expect(context(title, { item: { actionText: 'Deleted' } })).toMatchObject({
      proceduralStage: 'unknown',
      nextMeetingDate: null,
      actionKind: 'unknown',
      actionUrl: null,
    });
    const rentals = 'Adopt ordinance on short-term rentals';
    expect(context(rentals, { item: { outcome: 'continued' } }).proceduralStage).toBe('unknown');
    const stages = (['held', 'scheduled'] as const).map((status) =>
      ['Deleted', 'Deferred', 'Approved'].map(
        (matterStatus) => context(rentals, { item: { matterStatus }, meeting: { status } }).proceduralStage,
      ),
    );
    expect(stages).toEqual([
      ['unknown', 'unknown', 'final_action'],
      ['final_action', 'final_action', 'final_action'],
    ]);
  });
});
