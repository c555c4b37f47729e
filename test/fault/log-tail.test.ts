import { Client } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { tailViolations } from '../support/log-tail-checker.ts';
import { runTail } from '../support/log-tail-run.ts';
import { testRuns } from '../support/test-runs.ts';

const SEED = Number(process.env.TAIL_SEED ?? Math.floor(Math.random() * 1e9));

/**
 * Positions from a sequence, without an order of commits, as in most stores. Each append stalls for up to 20 ms between
 * its position and its commit, so that others overtake it.
 */
const WITHOUT_THE_LOCK = `
  create sequence civic.naive_positions;
  create or replace function civic.lock_log() returns bigint language plpgsql as $$
    declare position bigint := nextval('civic.naive_positions') * 1000;
    begin perform pg_sleep(random() * 0.02); return position; end $$`;

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
    const run = await runTail(database.url, { readers: ['filtered', 'filtered'], seed: SEED, rounds: testRuns(3) });
    const violations = run.readers.flatMap((read) => tailViolations(read, run.stored, run.acknowledged));
    expect(violations.filter((each) => each.startsWith('skipped')).length).toBeGreaterThan(0);
    expect(violations.filter((each) => each.startsWith('lost write'))).toEqual([]);
  });
});
