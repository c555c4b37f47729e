import { Client } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { tailViolations } from '../support/log-tail-checker.ts';
import { runTail } from '../support/log-tail-run.ts';
import { testRuns } from '../support/test-runs.ts';

const SEED = Number(process.env.TAIL_SEED ?? Math.floor(Math.random() * 1e9));

/** Positions from a sequence, assigned before the commit, without an order of commits, as in most stores. */
const WITHOUT_THE_LOCK = `
  create sequence civic.naive_positions;
  create or replace function civic.lock_log() returns bigint language sql as $$ select nextval('civic.naive_positions') * 1000 $$`;

/** Runs until one of them commits events in another order than that of their positions. */
const MAX_ATTEMPTS = 5;

let database: TestDatabase | undefined;
afterEach(async () => await database?.close());

describe(`tailing the log (TAIL_SEED=${SEED})`, () => {
  test('readers miss, repeat and reorder no event while writers in other processes stall and are killed', async () => {
    database = await startTestDatabase();
    const run = await runTail(database.url, {
      readers: ['reader', 'reader', 'filtered'],
      seed: SEED,
      rounds: testRuns(3),
    });
    expect(run.complaints).toEqual([]);
    expect(run.acknowledged.size).toBeGreaterThan(1_000);
    for (const read of run.readers) expect(tailViolations(read, run.stored, run.acknowledged)).toEqual([]);
    expect(run.stored.map(({ position }) => position)).toEqual(run.stored.map((_, n) => n + 1));
  });

  test('without the lock the same readers miss events', async () => {
    database = await startTestDatabase();
    const client = new Client(database.url);
    await client.connect();
    await client.query(WITHOUT_THE_LOCK);
    await client.end();
    const violations: string[] = [];
    const skipped = () => violations.filter((each) => each.startsWith('skipped')).length;
    // Each event of a run can be committed in order by chance.
    for (let attempt = 0; attempt < MAX_ATTEMPTS && skipped() === 0; attempt += 1) {
      const seed = SEED + attempt;
      const run = await runTail(database.url, { readers: ['filtered', 'filtered'], seed, rounds: testRuns(3) });
      for (const read of run.readers) violations.push(...tailViolations(read, run.stored, run.acknowledged));
    }
    expect(skipped()).toBeGreaterThan(0);
    expect(violations.filter((each) => each.startsWith('lost write'))).toEqual([]);
  });
});
