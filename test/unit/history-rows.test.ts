import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FeedState, historyRows } from '../../projections/record-history/history-rows.ts';
import { EMPTY_FINGERPRINT } from '../../domain/digests.ts';
import type { Position, StoredEvent } from '../../domain/ports/event-log.ts';
import { recordId } from '../support/civic-records.ts';

const EMPTY: FeedState = { head: 0, changedAt: 0, chain: '', outline: '', fingerprint: EMPTY_FINGERPRINT };

/** A log of few records: each step publishes or removes one, at a time that may go back. */
const logs = fc
  .array(fc.record({ record: fc.nat(4), removed: fc.boolean(), time: fc.integer({ min: 1, max: 1000 }) }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((steps) => {
    const revisions = new Map<number, number>();
    const there = new Set<number>();
    const events: StoredEvent[] = [];
    for (const { record, removed, time } of steps) {
      const withdraws = removed && there.has(record);
      const revision = (revisions.get(record) ?? -1) + 1;
      revisions.set(record, revision);
      if (withdraws) there.delete(record);
      else there.add(record);
      events.push({
        position: String(events.length + 1).padStart(20, '0') as Position,
        stream: `topics-${recordId('topics', record)}`,
        revision,
        id: recordId('documents', events.length),
        type: withdraws ? 'RecordWithdrawn' : 'RecordPublished',
        schemaVersion: 1,
        data: JSON.stringify({ record, revision }),
        metadata: '{}',
        time,
      });
    }
    return events;
  });

/** The rows after all batches, as in the tables: a later batch ends the rows that it supersedes. */
function folded(events: readonly StoredEvent[], sizes: readonly number[]) {
  const rows: { position: number; record_id: string; superseded_at: number | null }[] = [];
  let state = EMPTY;
  for (let from = 0, nth = 0; from < events.length; nth++) {
    const to = from + (sizes[nth % sizes.length] ?? 1);
    const batch = historyRows(events.slice(from, to), state);
    for (const ending of batch.superseding) {
      const current = rows.find(
        ({ record_id, superseded_at }) => record_id === ending.record_id && superseded_at === null,
      );
      if (current !== undefined) current.superseded_at = ending.position;
    }
    rows.push(...batch.rows.map((row) => ({ ...row })));
    ({ state } = batch);
    from = to;
  }
  return { rows, state };
}

test('the rows and the state do not depend on how the log is cut into batches', () => {
  fc.assert(
    fc.property(logs, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }), (events, sizes) => {
      expect(folded(events, sizes)).toEqual(folded(events, [events.length]));
    }),
  );
});

test('positions are dense from 1 in the order of the log, and no time falls', () => {
  fc.assert(
    fc.property(logs, (events) => {
      const { rows, state } = historyRows(events, EMPTY);
      expect(rows.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
      expect(state.head).toBe(events.length);
      let latest = 0;
      for (const [index, { changed_at }] of rows.entries()) {
        latest = Math.max(latest, events[index]!.time);
        expect(changed_at).toBe(latest);
      }
    }),
  );
});

test('at most one row of each record is current, namely its last one, unless that is a removal', () => {
  fc.assert(
    fc.property(logs, (events) => {
      const { rows } = historyRows(events, EMPTY);
      for (const record of new Set(rows.map(({ record_id }) => record_id))) {
        const own = rows.filter(({ record_id }) => record_id === record);
        for (const [index, row] of own.entries()) {
          const next = own[index + 1]?.position ?? null;
          expect(row.superseded_at).toBe(row.removed ? row.position : next);
        }
      }
    }),
  );
});

test('the fingerprint differs between feeds of another order, content, time or version, and only those', () => {
  const [one, other] = [0, 1].map(
    (record): StoredEvent => ({
      position: '1' as Position,
      stream: `topics-${recordId('topics', record)}`,
      revision: 0,
      id: recordId('documents', record),
      type: 'RecordPublished',
      schemaVersion: 1,
      data: `{"record":${record}}`,
      metadata: '{}',
      time: 5,
    }),
  ) as [StoredEvent, StoredEvent];
  const chain = (...events: readonly StoredEvent[]) => historyRows(events, EMPTY).state.chain;
  const feeds = [
    [one, other],
    [other, one],
    [one],
    [{ ...one, time: 6 }, other],
    [{ ...one, data: '{"record":7}' }, other],
    [{ ...one, revision: 1 }, other],
    [{ ...one, type: 'RecordWithdrawn' }, other],
  ];
  expect(new Set(feeds.map((feed) => chain(...feed))).size).toBe(feeds.length);
  expect(chain({ ...one, id: other.id, metadata: '{"commandId":"x"}', position: '9' as Position }, other)).toBe(
    chain(one, other),
  );
});

test('an item equals its change in the feed, and a removal has no data', () => {
  const { rows } = historyRows(
    [
      {
        position: '1' as Position,
        stream: 'meetings-00000000-0000-4000-8000-000000000001',
        revision: 1,
        id: recordId('topics', 1),
        type: 'RecordWithdrawn',
        schemaVersion: 1,
        data: '{"createdAt":"2026-01-01T00:00:00.000Z","reason":"private"}',
        metadata: '{}',
        time: Date.UTC(2026, 0, 2),
      },
    ],
    EMPTY,
  );
  expect(JSON.parse(`{${rows[0]!.envelope}}`)).toEqual({
    resource: 'meetings',
    operation: 'remove',
    recordId: '00000000-0000-4000-8000-000000000001',
    version: '2',
    changedAt: '2026-01-02T00:00:00.000Z',
  });
  expect(rows[0]!.body).toBeNull();
});
