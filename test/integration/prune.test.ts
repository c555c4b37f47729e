import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Statement, Transactor } from '../../domain/ports/database.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { pruneRecordHistory } from '../../projections/record-history/prune.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { changesPage } from '../../contract/read-civic-changes.ts';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import { Rejection } from '../../domain/rejections.ts';
import { DAY_MS, openFreshCivic, openTestCivic, RETENTION_MS, type TestCivic } from '../support/civic.ts';
import { randomChanges, randomFrom, remove, upsert } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import { eventsOf, foldInto } from '../support/projection-spec.ts';
import { expectedFeed, linesOf, readPage, stateAt } from '../support/history-checker.ts';

const MAX_BYTES = 50_000_000;
let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic();
  civic.startProjector();
  const random = randomFrom(testSeed());
  for (let day = 0; day < 40; day++) {
    await civic.writer.write(randomChanges(random, 10, 8), {});
    civic.clock.advance(DAY_MS);
  }
  await civic.caughtUp();
  const { history } = RECORD_HISTORY.at(await civic.live(recordHistory.name));
  // The plans of so few rows would depend on the moment of an automatic ANALYZE.
  await civic.rows(`alter table ${history} set (autovacuum_enabled = off)`);
});
afterAll(() => civic?.close());

const mark = async () => Number((await civic.rows('select pruned_through from civic.feed_retention'))[0]![0]);

/** The newest position whose change is older than the retention, found without SQL. */
const floorAt = async (now: number): Promise<number> =>
  (await expectedFeed(civic.log)).findLastIndex(({ changedAt }) => changedAt < now - RETENTION_MS) + 1;

async function readAt(position: number) {
  const cursor = encodeFeedCursor({ feedId: civic.feedId, position, fingerprint: null, binding: 'nothing' });
  try {
    return readPage((await civic.changes({ cursor, limit: 500, maxResponseBytes: MAX_BYTES })).text).items.length;
  } catch (error) {
    if (error instanceof Rejection) return error.code;
    throw error;
  }
}

test('pruning removes superseded rows up to the replay floor, and every answer above it is unchanged', async () => {
  const now = civic.clock.now();
  const floor = await floorAt(now);
  expect(floor).toBeGreaterThan(0);
  const expected = await expectedFeed(civic.log);
  const positions = [...expected.keys()].filter((position) => position % 11 === 0 || Math.abs(position - floor) < 3);
  const look = () => Promise.all(positions.map((position) => readAt(position)));
  const before = await look();
  expect(await civic.prune()).toBeGreaterThan(0);
  expect(await mark()).toBe(floor);
  expect(await look()).toEqual(before);
  expect(await readAt(floor - 1)).toBe('cursor_expired');
  expect(await readAt(floor)).toBe(expected.length - floor);
  const { history } = RECORD_HISTORY.at(await civic.live(recordHistory.name));
  const rows = await civic.rows(
    `select resource || ' ' || record_id, body from ${history} where position <= ${floor} and superseded_at > ${floor}`,
  );
  expect(linesOf(rows.map(([key, body]) => [key!, body!] as const))).toEqual(linesOf(stateAt(expected, floor)));
  // A removal supersedes itself. The row at the floor stays, because it proves the history before it.
  expect(
    await civic.rows(`select position from ${history} where superseded_at <= ${floor} and position <> ${floor}`),
  ).toEqual([]);
  expect(await civic.rows(`select position from ${history} where position = ${floor}`)).toHaveLength(1);
});

test('prunedThrough never falls: not by clock, retention or hand', async () => {
  const before = await mark();
  expect(await civic.prune(civic.clock.now() - 20 * DAY_MS)).toBe(0);
  expect(await mark()).toBe(before);
  const longer = await openTestCivic(civic.url, { retentionMs: 10 * RETENTION_MS });
  await longer.prune(civic.clock.now());
  expect(await mark()).toBe(before);
  await longer.close();
  await expect(civic.rows('update civic.feed_retention set pruned_through = pruned_through - 1')).rejects.toThrow(
    'never falls',
  );
  await expect(civic.rows('delete from civic.feed_retention')).rejects.toThrow('never falls');
  await expect(
    civic.rows('insert into civic.feed_retention (singleton, pruned_through) values (false, 0)'),
  ).rejects.toThrow('check constraint');
  expect(await mark()).toBe(before);
});

test('concurrent prunings and readers agree', async () => {
  civic.clock.advance(5 * DAY_MS);
  const removed = await Promise.all([civic.prune(), civic.prune(), civic.prune(), readAt(await mark())]);
  expect(removed.slice(0, 3).some((count) => Number(count) > 0)).toBe(true);
  expect(await mark()).toBe(await floorAt(civic.clock.now()));
});

test('a reader at the head of a quiet feed never expires, and the floor may reach the head', async () => {
  civic.clock.advance(10 * RETENTION_MS);
  const head = (await expectedFeed(civic.log)).length;
  expect(await readAt(head)).toBe(0);
  await civic.prune();
  expect(await mark()).toBe(head);
  expect(await readAt(head)).toBe(0);
  expect(await readAt(head - 1)).toBe('cursor_expired');
  const { text } = await civic.changes({ limit: 10, maxResponseBytes: MAX_BYTES });
  expect(readPage(text)).toMatchObject({
    items: [],
    next: head,
    hasMore: false,
    replayExpiresAt: civic.clock.now() + RETENTION_MS,
  });
});

test('a page without a cursor reports pruned history and names the snapshot; later pages do not', async () => {
  for (const filter of [{}, { resource: 'topics' as const }]) {
    const first = changesPage.parse(
      JSON.parse((await civic.changes({ ...filter, limit: 10, maxResponseBytes: MAX_BYTES })).text),
    );
    expect(first.meta).toMatchObject({ historyPruned: true, recovery: [{ operationId: 'createCivicSnapshot' }] });
    const { nextCursor: cursor } = first.meta;
    const next = changesPage.parse(
      JSON.parse((await civic.changes({ ...filter, cursor, limit: 10, maxResponseBytes: MAX_BYTES })).text),
    );
    expect(Object.keys(next.meta)).toEqual(['nextCursor', 'hasMore', 'replayExpiresAt']);
  }
});

test('a cursor at prunedThrough is checked, also if the change there is a removal', async () => {
  const other = await startTestDatabase();
  const pruned = await openTestCivic(other.url);
  try {
    pruned.startProjector();
    await pruned.writer.write([upsert('topics', 1, 1), remove('topics', 1)], {});
    pruned.clock.advance(RETENTION_MS - DAY_MS);
    await pruned.writer.write([upsert('topics', 2, 1)], {});
    pruned.clock.advance(2 * DAY_MS);
    await pruned.caughtUp();
    await pruned.prune();
    const read = async (fingerprint: string) =>
      pruned.changes({
        cursor: encodeFeedCursor({ feedId: pruned.feedId, position: 2, fingerprint, binding: 'nothing' }),
        limit: 10,
        maxResponseBytes: MAX_BYTES,
      });
    const [, last] = await expectedFeed(pruned.log);
    expect(Number((await pruned.rows('select pruned_through from civic.feed_retention'))[0]![0])).toBe(2);
    expect(readPage((await read(last!.fingerprint)).text).items).toHaveLength(1);
    await expect(read('f00f'.repeat(4))).rejects.toMatchObject({ code: 'cursor_expired' });
  } finally {
    await pruned.close();
    await other.close();
  }
});

test('pruning, and a rebuild up to the pruned position, find superseded rows by their index', async () => {
  const deleting = new Set<string>();
  const transaction: Transactor['transaction'] = (work, ...rest) =>
    civic.database.transactor.transaction(
      (inner) => {
        const query = <Row>(statement: Statement) => {
          if (statement.text.startsWith('delete from civic.record_history')) deleting.add(statement.text);
          return inner.query<Row>(statement);
        };
        return work({ ...inner, query });
      },
      ...rest,
    );
  const transactor = { ...civic.database.transactor, transaction };
  const [history, snapshots] = [await civic.live(recordHistory.name), await civic.live('snapshots')];
  await pruneRecordHistory(transactor, { history, snapshots, now: civic.clock.now(), retentionMs: RETENTION_MS });
  const { generation } = await civic.generations.create(recordHistory, 'scratch', Date.now());
  await foldInto({ transactor }, recordHistory, generation, await eventsOf(civic, recordHistory), 20);
  expect(deleting.size).toBe(2);
  for (const text of deleting) {
    const plan = await civic.database.transactor.transaction(async (inner) => {
      // PostgreSQL would read a small table as a whole otherwise.
      await inner.query({ text: 'set local enable_seqscan = off', values: [] });
      return JSON.stringify((await inner.query({ text: `explain (generic_plan) ${text}`, values: [] })).rows);
    });
    expect(plan).toMatch(/record_history_\w*superseded/);
  }
});
