import { expect, test } from 'vitest';
import {
  type ReportCommand,
  reportDecider,
  type ReportMove,
  type ReportState,
} from '../../commands/reports/report-decider.ts';
import type { ReportEvent } from '../../domain/events/report-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { Rejection } from '../../domain/rejections.ts';
import { CLOSED_REPORT_STATUSES, REPORT_STATUSES, type ReportStatus } from '../../domain/reports.ts';

const ACCOUNT = derivedId('test', 'account');
const NOW = '2026-01-05T12:00:00.000Z';
const TOMORROW = '2026-01-06T12:00:00.000Z';
const RECORD = { itemId: derivedId('test', 'item'), sourceUrl: 'https://example.org/item' };

const MOVE: ReportMove = {
  to: 'investigating',
  reasonCode: null,
  finding: null,
  nextAction: null,
  verifiedRecords: [],
  nextCheckAt: null,
};
const ALICE = { holder: 'alice', fencingToken: 1 };
const leased = (by = ALICE): ReportEvent => ({
  type: 'DataReportLeased',
  data: { accountId: ACCOUNT, ...by, leasedAt: NOW, leaseUntil: TOMORROW },
});
const moved = (from: ReportStatus, to: ReportStatus, by = ALICE): ReportEvent => ({
  type: 'DataReportMoved',
  data: { ...MOVE, accountId: ACCOUNT, from, to, verifiedRecords: [], nextCheckAt: null, movedAt: NOW, ...by },
});
const stateAfter = (...events: readonly ReportEvent[]): ReportState =>
  events.reduce(reportDecider.evolve, reportDecider.initialState());
const move = (
  state: ReportState,
  what: Partial<ReportMove> = {},
  by: Partial<Extract<ReportCommand, { type: 'MoveReport' }>> = {},
) =>
  reportDecider.decide(
    {
      type: 'MoveReport',
      moves: [{ ...MOVE, ...what }],
      note: null,
      ...ALICE,
      seenRevision: state.revision,
      movedAt: NOW,
      ...by,
    },
    state,
  );
const codeOf = (decision: readonly ReportEvent[] | Rejection): string =>
  decision instanceof Rejection ? decision.code : 'moved';

/** The table of transitions, written independently of the program. */
const ARROWS: readonly string[] = [
  'received investigating',
  'received out_of_scope',
  'received declined',
  'investigating awaiting_source',
  'investigating gap_confirmed',
  'investigating resolved',
  'investigating already_available',
  'investigating not_found',
  'investigating out_of_scope',
  'investigating declined',
  'awaiting_source investigating',
  'awaiting_source resolved',
  'awaiting_source already_available',
  'awaiting_source not_found',
  'awaiting_source declined',
  'gap_confirmed backfilling',
  'gap_confirmed resolved',
  'gap_confirmed awaiting_source',
  'gap_confirmed declined',
  'backfilling resolved',
  'backfilling gap_confirmed',
];

test('of the hundred pairs of statuses a report may take exactly those in the table', () => {
  const accepted = REPORT_STATUSES.flatMap((from) =>
    REPORT_STATUSES.filter((to) => {
      const state = { ...stateAfter(leased()), status: from };
      const decision = codeOf(move(state, { to, finding: 'It is so.', verifiedRecords: [RECORD] }));
      expect(['moved', 'invalid_transition']).toContain(decision);
      return decision === 'moved';
    }).map((to) => `${from} ${to}`),
  );
  expect(accepted.toSorted()).toEqual(ARROWS.toSorted());
});

test.each(CLOSED_REPORT_STATUSES)(
  'a report that is closed as %s refuses every move, every lease and every note',
  (status) => {
    const state = { ...stateAfter(leased()), status };
    for (const to of REPORT_STATUSES) {
      expect(codeOf(move(state, { to, finding: 'It is so.', verifiedRecords: [RECORD] }))).toBe('invalid_transition');
    }
    expect(
      codeOf(reportDecider.decide({ type: 'NoteReport', note: 'n', notedAt: NOW, nextCheckAt: null, ...ALICE }, state)),
    ).toBe('invalid_transition');
    const lease = {
      type: 'RecordLease',
      accountId: ACCOUNT,
      holder: 'bob',
      fencingToken: 2,
      leasedAt: NOW,
      leaseUntil: TOMORROW,
    } as const;
    expect(codeOf(reportDecider.decide(lease, state))).toBe('invalid_transition');
  },
);

test.each(CLOSED_REPORT_STATUSES)('a move to %s requires a finding', (to) => {
  const from = to === 'not_found' ? 'awaiting_source' : 'investigating';
  const state = { ...stateAfter(leased()), status: from } as ReportState;
  for (const finding of [null, '', '  '])
    expect(codeOf(move(state, { to, finding, verifiedRecords: [RECORD] }))).toBe('resolution_incomplete');
});

test.each(['resolved', 'already_available'] as const)('a move to %s requires one to twenty verified records', (to) => {
  const state = stateAfter(leased(), moved('received', 'investigating'));
  expect(codeOf(move(state, { to, finding: 'It is there.' }))).toBe('resolution_incomplete');
  const many = (count: number) =>
    move(state, { to, finding: 'It is there.', verifiedRecords: Array.from({ length: count }, () => RECORD) });
  expect([codeOf(many(1)), codeOf(many(20)), codeOf(many(21))]).toEqual(['moved', 'moved', 'invalid_input']);
});

test.each(['not_found', 'out_of_scope', 'declined', 'gap_confirmed', 'awaiting_source'] as const)(
  'a move to %s requires no record',
  (to) => {
    expect(codeOf(move(stateAfter(leased(), moved('received', 'investigating')), { to, finding: 'Nothing.' }))).toBe(
      'moved',
    );
  },
);

test('a move without the token and holder of the newest lease is refused', () => {
  expect(codeOf(move(stateAfter()))).toBe('lease_conflict');
  const takenOver = stateAfter(leased(), leased({ holder: 'bob', fencingToken: 2 }));
  expect(codeOf(move(takenOver))).toBe('lease_conflict');
  expect(codeOf(move(takenOver, {}, { fencingToken: 2 }))).toBe('lease_conflict');
  expect(codeOf(move(takenOver, {}, { holder: 'bob' }))).toBe('lease_conflict');
  expect(codeOf(move(takenOver, {}, { holder: 'bob', fencingToken: 3 }))).toBe('lease_conflict');
  expect(codeOf(move(takenOver, {}, { holder: 'bob', fencingToken: 2 }))).toBe('moved');
});

test('a holder with a newer lease cannot move with the earlier token', () => {
  const again = stateAfter(leased(), leased({ holder: 'alice', fencingToken: 4 }));
  expect([codeOf(move(again)), codeOf(move(again, {}, { fencingToken: 4 }))]).toEqual(['lease_conflict', 'moved']);
});

test('a lease whose token is not higher is refused, and repeating the lease appends nothing', () => {
  const state = stateAfter(leased({ holder: 'alice', fencingToken: 3 }));
  const take = (holder: string, fencingToken: number) =>
    reportDecider.decide(
      { type: 'RecordLease', accountId: ACCOUNT, holder, fencingToken, leasedAt: NOW, leaseUntil: TOMORROW },
      state,
    );
  expect(take('alice', 3)).toEqual([]);
  expect([take('bob', 3), take('bob', 2), take('alice', 2), take('bob', 4)].map(codeOf)).toEqual([
    'lease_conflict',
    'lease_conflict',
    'lease_conflict',
    'moved',
  ]);
});

test('a move decided before another move is a conflict of states; a lease or note between them is not', () => {
  const state = stateAfter(leased(), moved('received', 'investigating'), leased({ ...ALICE, fencingToken: 2 }));
  expect(codeOf(move(state, { to: 'awaiting_source' }, { seenRevision: 0, fencingToken: 2 }))).toBe('state_conflict');
  expect(codeOf(move(state, { to: 'awaiting_source' }, { seenRevision: 1, fencingToken: 2 }))).toBe('moved');
});

test('a move sets all fields of the report, and the next check a day later unless it sets another', () => {
  const state = stateAfter(leased(), moved('received', 'investigating'));
  const [event] = move(state, {
    to: 'gap_confirmed',
    reasonCode: 'connector_failure',
    finding: 'F',
    nextAction: 'A',
  }) as ReportEvent[];
  expect(event).toEqual({
    type: 'DataReportMoved',
    data: {
      accountId: ACCOUNT,
      from: 'investigating',
      to: 'gap_confirmed',
      reasonCode: 'connector_failure',
      finding: 'F',
      nextAction: 'A',
      verifiedRecords: [],
      nextCheckAt: TOMORROW,
      movedAt: NOW,
      ...ALICE,
    },
  });
  const check = (what: Partial<ReportMove>) => (move(state, what) as ReportEvent[])[0]?.data;
  expect(check({ to: 'awaiting_source', nextCheckAt: '2026-02-01T00:00:00.000Z' })).toMatchObject({
    nextCheckAt: '2026-02-01T00:00:00.000Z',
  });
  expect(check({ to: 'declined', finding: 'F', nextCheckAt: TOMORROW })).toMatchObject({ nextCheckAt: null });
});

test('several moves in a row are stored together or not at all, with the note before them', () => {
  const state = stateAfter(leased());
  const closing = { ...MOVE, to: 'already_available', finding: 'It is there.', verifiedRecords: [RECORD] } as const;
  const events = move(state, {}, { moves: [MOVE, closing], note: 'found by its address' }) as ReportEvent[];
  expect(events.map(({ type }) => type)).toEqual(['DataReportNoted', 'DataReportMoved', 'DataReportMoved']);
  expect(events.slice(1).map(({ data }) => 'to' in data && [data.from, data.to])).toEqual([
    ['received', 'investigating'],
    ['investigating', 'already_available'],
  ]);
  expect(stateAfter(leased(), ...events).status).toBe('already_available');
  expect(codeOf(move(state, {}, { moves: [MOVE, { ...closing, verifiedRecords: [] }] }))).toBe('resolution_incomplete');
  expect(codeOf(move(state, {}, { moves: [MOVE, MOVE] }))).toBe('invalid_transition');
  expect(codeOf(move(state, {}, { moves: [closing] }))).toBe('invalid_transition');
});

test('the state of a report contains its status, its newest lease, and the time of the last move', () => {
  expect(stateAfter(leased(), moved('received', 'investigating'), leased({ holder: 'bob', fencingToken: 7 }))).toEqual({
    status: 'investigating',
    accountId: ACCOUNT,
    holder: 'bob',
    fencingToken: 7,
    revision: 2,
    movedRevision: 1,
  });
});
