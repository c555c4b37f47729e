import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { openStatementPool } from '../../infra/postgresql/connection/statement-pool.ts';
import { createWindowCounts } from '../../infra/postgresql/counters/counts.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import type { Bucket, WindowCounts } from '../../domain/ports/counts.ts';
import type { Statement } from '../../domain/ports/database.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

let database: TestDatabase;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(async () => {
  for (const close of closing) await close();
  await database.close();
});

/** A process with its own connections. */
function process(connections = 2): WindowCounts {
  const opened = openStatementPool(
    { dsn: database.url, purpose: 'test-counts', statementTimeoutMs: 20_000, plansForGrowth: true, lossy: true },
    connections,
  );
  closing.push(() => opened.close());
  return createWindowCounts(async <Row>(statement: Statement) => (await opened.query<Row>(statement)).rows);
}

test('counts are in unlogged tables and wait for no disk', async () => {
  const opened = await openDatabase({ dsn: database.url, statementTimeoutMs: 20_000 });
  closing.push(() => opened.close());
  expect(await opened.countRows({ text: 'show synchronous_commit', values: [] })).toEqual([
    { synchronous_commit: 'off' },
  ]);
  expect(await opened.read.rows({ text: 'show synchronous_commit', values: [] })).toEqual([
    { synchronous_commit: 'on' },
  ]);
  const statement = `select relname, relpersistence::text from pg_class where relname in ('window_counts', 'admission_counts') order by 1`;
  expect(await opened.countRows({ text: statement, values: [] })).toEqual([
    { relname: 'admission_counts', relpersistence: 'u' },
    { relname: 'window_counts', relpersistence: 'u' },
  ]);
});

const account = (): string => randomIdentifiers.next();
const minute: Bucket = { name: 'minute', limit: 10, seconds: 60 };
const second: Bucket = { name: 'second', limit: 4, seconds: 1 };
/** The start of a minute. */
const START = 1_767_225_600_000;

test('takes from every bucket or from none, and returns what is left and when the windows end', async () => {
  const counts = process();
  const id = account();
  expect(await counts.take(id, [minute, second], 3, START + 400)).toEqual({
    kind: 'taken',
    states: [
      { bucket: minute, remaining: 7, resetSeconds: 60 },
      { bucket: second, remaining: 1, resetSeconds: 1 },
    ],
  });
  expect(await counts.take(id, [minute, second], 2, START + 400)).toEqual({
    kind: 'exhausted',
    bucket: second,
    retryAfterSeconds: 1,
  });
  expect(await counts.take(id, [minute], 7, START + 59_001)).toMatchObject({
    kind: 'taken',
    states: [{ remaining: 0, resetSeconds: 1 }],
  });
  expect(await counts.take(id, [second, minute], 1, START + 59_001)).toEqual({
    kind: 'exhausted',
    bucket: minute,
    retryAfterSeconds: 1,
  });
  expect(await counts.take(id, [second], 4, START + 59_001)).toMatchObject({
    kind: 'taken',
    states: [{ remaining: 0 }],
  });
});

test('of several exhausted buckets the last to open gives the time to retry', async () => {
  const counts = process();
  const id = account();
  const hour: Bucket = { name: 'hour', limit: 1, seconds: 3600 };
  await counts.take(id, [{ ...minute, limit: 1 }, hour, { ...second, limit: 1 }], 1, START);
  const again = await counts.take(id, [{ ...minute, limit: 1 }, hour, { ...second, limit: 1 }], 1, START + 1);
  expect(again).toEqual({ kind: 'exhausted', bucket: hour, retryAfterSeconds: 3600 });
});

test('windows are aligned to the clock, and the next one is full from its first millisecond', async () => {
  const counts = process();
  const id = account();
  expect((await counts.take(id, [minute], 10, START + 59_999)).kind).toBe('taken');
  expect((await counts.take(id, [minute], 1, START + 59_999)).kind).toBe('exhausted');
  expect(await counts.take(id, [minute], 1, START + 60_000)).toMatchObject({
    states: [{ remaining: 9, resetSeconds: 60 }],
  });
});

test('accounts and buckets of other names do not share counts', async () => {
  const counts = process();
  const [one, other] = [account(), account()];
  await counts.take(one, [minute], 10, START);
  expect((await counts.take(other, [minute], 10, START)).kind).toBe('taken');
  expect((await counts.take(one, [{ ...minute, name: 'another' }], 10, START)).kind).toBe('taken');
});

test('a window opened by a process with a fast clock is not opened again by a slow one', async () => {
  const [ahead, behind] = [process(), process()];
  const id = account();
  await behind.take(id, [minute], 2, START + 59_000);
  await ahead.take(id, [minute], 6, START + 60_500);
  expect(await behind.take(id, [minute], 4, START + 59_900)).toMatchObject({
    kind: 'taken',
    states: [{ remaining: 0, resetSeconds: 61 }],
  });
  expect((await ahead.take(id, [minute], 1, START + 61_000)).kind).toBe('exhausted');
  expect((await behind.take(id, [minute], 1, START + 60_000)).kind).toBe('exhausted');
});

test('two clocks that differ by two seconds share a second, and the slow one opens none', async () => {
  const [ahead, behind] = [process(), process()];
  const id = account();
  await ahead.take(id, [second], 3, START + 2_000);
  expect((await behind.take(id, [second], 1, START)).kind).toBe('taken');
  expect(await behind.take(id, [second], 1, START + 500)).toEqual({
    kind: 'exhausted',
    bucket: second,
    retryAfterSeconds: 3,
  });
  expect((await ahead.take(id, [second], 1, START + 2_500)).kind).toBe('exhausted');
});

test('a clock ahead by half a minute does not close the second for so long, and the minute holds', async () => {
  const [ahead, behind] = [process(), process()];
  const id = account();
  await ahead.take(id, [minute, second], 4, START + 45_000);
  expect((await behind.take(id, [minute, second], 4, START + 15_000)).kind).toBe('taken');
  await ahead.take(id, [minute], 2, START + 75_000);
  expect(await behind.take(id, [minute, second], 2, START + 46_000)).toMatchObject({
    states: [{ remaining: 6 }, { remaining: 2 }],
  });
  expect(await ahead.take(id, [minute], 7, START + 75_000)).toMatchObject({ kind: 'exhausted' });
});

test('a clock that was put back by more than the tolerance starts over without a wait', async () => {
  const counts = process();
  const id = account();
  await counts.take(id, [minute], 10, START + 365 * 86_400_000);
  expect(await counts.take(id, [minute], 4, START)).toMatchObject({
    kind: 'taken',
    states: [{ remaining: 6, resetSeconds: 60 }],
  });
});

test('concurrent calls from several processes, in any order of buckets, use exactly the allowance', async () => {
  const processes = Array.from({ length: 4 }, () => process(3));
  const id = account();
  const [large, larger]: Bucket[] = [
    { name: 'large', limit: 120, seconds: 60 },
    { name: 'larger', limit: 100_000, seconds: 3600 },
  ];
  const outcomes = await Promise.all(
    Array.from({ length: 1000 }, (_, nth) =>
      processes[nth % 4]!.take(id, nth % 3 === 0 ? [larger!, large!] : [large!, larger!], 1, START + (nth % 7)),
    ),
  );
  expect(outcomes.filter(({ kind }) => kind === 'taken')).toHaveLength(120);
  expect(await processes[0]!.take(id, [larger!], 0, START)).toMatchObject({ states: [{ remaining: 100_000 - 120 }] });
});
