import { expect, it } from 'vitest';
import { eventItemRow } from '../../src/sources/agendas/rows.ts';
import { hasSummary, isVotedOn, mapMembers, votesOf } from '../../src/sources/agendas/votes.ts';

const row = (fields: object) => eventItemRow.parse({ EventItemId: 7, ...fields });
const vote = (id: number, name: unknown, value: unknown, fields: object = {}) => ({
  VoteId: id,
  VotePersonName: name,
  VoteValueName: value,
  VoteEventItemId: 7,
  ...fields,
});

it.each([
  [{ EventItemPassedFlagName: 'Fail' }, true],
  [{ EventItemTally: '8:1' }, true],
  [{ EventItemMover: 'Member A' }, true],
  [{ EventItemSeconder: 'Member B' }, true],
  [{ EventItemMover: ' ', EventItemTally: null, EventItemRollCallFlag: 1 }, false],
])('a row with %o was voted on: %s', (fields, isVoted) => {
  expect(isVotedOn(row(fields))).toBe(isVoted);
});

it('mover, seconder and tally are the plain text of the source', () => {
  const voteRow = row({
    EventItemMover: ' Member&nbsp;A\r\n',
    EventItemSeconder: '<b>Member B</b>',
    EventItemTally: '8:1',
  });
  const votes = { mover: 'Member A', seconder: 'Member B', tally: '8:1', members: [] };
  expect(votesOf(voteRow, [])).toEqual(votes);
  expect(hasSummary(voteRow, votes)).toBe(true);
  expect(hasSummary(voteRow, { ...votes, tally: '7:2' })).toBe(false);
});

it('a row that states nothing of its vote has none', () => {
  const passed = row({ EventItemPassedFlagName: 'Pass' });
  expect(votesOf(passed, [])).toBeUndefined();
  expect(votesOf(passed, [{ name: 'Member A', vote: 'Aye' }])).toEqual({
    mover: null,
    seconder: null,
    tally: null,
    members: [{ name: 'Member A', vote: 'Aye' }],
  });
});

it('a mover of an unknown shape does not remove the row', () => {
  expect(row({ EventItemMover: { name: 'Member A' }, EventItemTally: 9 })).toMatchObject({
    EventItemMover: null,
    EventItemTally: null,
  });
});

it('votes by member are in the order of the source, in its words', () => {
  const rows = [
    vote(2, 'Member <i>B</i>', 'Nay', { VoteSort: 2 }),
    vote(3, 'Member A', ' Absent & excused ', { VoteSort: 1 }),
  ];
  expect(mapMembers(7, rows)).toEqual({
    members: [
      { name: 'Member A', vote: 'Absent & excused' },
      { name: 'Member B', vote: 'Nay' },
    ],
    skipped: [],
  });
});

it('a vote that cannot be read is left out and counted', () => {
  const rows = [
    vote(1, null, 'Aye'),
    vote(2, 'Member B', null),
    vote(3, 'Member C', 'Aye', { VoteEventItemId: 8 }),
    { VotePersonName: 'D' },
    vote(5, 'Member E', 'Aye'),
  ];
  const { members, skipped } = mapMembers(7, rows);
  expect(members).toEqual([{ name: 'Member E', vote: 'Aye' }]);
  expect(skipped.map(({ what, id, reason }) => `${what} ${id}: ${reason}`).toSorted()).toEqual([
    'vote 1: has no name of a member',
    'vote 2: does not say how the member voted',
    'vote 3: is on another item than 7',
    expect.stringMatching(/^vote null: VoteId/),
  ]);
});

it('names and numbers of votes are bounded', () => {
  const { members, skipped } = mapMembers(
    7,
    Array.from({ length: 501 }, (_, id) => vote(id, 'M'.repeat(10_000), 'Aye')),
  );
  expect(members).toHaveLength(500);
  expect(members[0]!.name).toHaveLength(200);
  expect(skipped.map(({ reason }) => reason)).toEqual(['item 7 has 501 votes: only 500 are read']);
});
