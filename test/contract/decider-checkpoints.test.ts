import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeciderCheckpoints } from '../../infra/postgresql/log/decider-checkpoints.ts';
import { createErasedCopies } from '../../infra/postgresql/log/erased-copies.ts';
import { type Database, openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import type { DeciderCheckpoint, DeciderCheckpoints } from '../../domain/ports/decider-checkpoints.ts';
import { KeptLog, untilTrue } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

let server: TestDatabase;
let database: Database;
let checkpoints: DeciderCheckpoints;
const logger = new KeptLog();

beforeAll(async () => {
  server = await startTestDatabase();
  database = await openDatabase({ dsn: server.url, statementTimeoutMs: 5_000 });
  checkpoints = createDeciderCheckpoints(database.read, database.transactor, logger);
});
afterAll(async () => {
  await database?.close();
  await server?.close();
});

const checkpointOf = (
  stream: string,
  decider: string,
  revision: number,
  state = '{"a":"ü \\u0000 \\"x\\""}',
): DeciderCheckpoint => ({
  stream,
  decider,
  version: 3,
  revision,
  eventId: randomUUID(),
  state,
  seal: 'sealed',
});

test('a checkpoint is read byte for byte as it was saved, and only for its stream and decider', async () => {
  const checkpoint = checkpointOf('account_feeds-1', 'feeds', 5);
  await checkpoints.save(checkpoint, '0');
  expect((await checkpoints.load('account_feeds-1', 'feeds')).checkpoint).toEqual(checkpoint);
  expect((await checkpoints.load('account_feeds-1', 'keys')).checkpoint).toBeNull();
  expect((await checkpoints.load('account_feeds-2', 'feeds')).checkpoint).toBeNull();
});

test('the latest checkpoint replaces the one before, also after a restore to a shorter stream', async () => {
  for (const revision of [10, 20, 15]) {
    const checkpoint = checkpointOf('account_feeds-3', 'feeds', revision, `{"revision":${revision}}`);
    await checkpoints.save(checkpoint, '0');
    expect((await checkpoints.load('account_feeds-3', 'feeds')).checkpoint).toEqual(checkpoint);
  }
});

test('while the store is unavailable nothing is saved or thrown, and the failure is logged', async () => {
  const closed = await openDatabase({ dsn: server.url, statementTimeoutMs: 5_000 });
  await closed.close();
  const broken = createDeciderCheckpoints(closed.read, closed.transactor, logger);
  expect(await broken.load('account_feeds-1', 'feeds')).toEqual({ checkpoint: null, mark: null });
  await broken.save(checkpointOf('account_feeds-1', 'feeds', 99), '0');
  expect((await checkpoints.load('account_feeds-1', 'feeds')).checkpoint!.revision).toBe(5);
  expect(logger.warnings.join('\n')).toMatch(/could not be read[\s\S]*could not be saved/);
});

describe('after an erasure', () => {
  const traces = () => createErasedCopies(database.transactor, server.url);

  test('no earlier checkpoint is returned, not even one that a running command saves later', async () => {
    const stream = 'account_reports-1';
    await checkpoints.save(checkpointOf(stream, 'reports', 5), (await checkpoints.load(stream, 'reports')).mark);
    const { checkpoint, mark } = await checkpoints.load(stream, 'reports');
    expect(checkpoint?.revision).toBe(5);
    await traces().clear([stream], 0);
    await checkpoints.save(checkpointOf(stream, 'reports', 10), mark);
    expect((await checkpoints.load(stream, 'reports')).checkpoint).toBeNull();
    // A command that starts afterwards reads the remaining events and may save a checkpoint.
    await checkpoints.save(checkpointOf(stream, 'reports', 10), (await checkpoints.load(stream, 'reports')).mark);
    expect((await checkpoints.load(stream, 'reports')).checkpoint?.revision).toBe(10);
  });

  test('a checkpoint saved during a drop is dropped too or not saved', async () => {
    const stream = 'account_reports-2';
    const client = new Client(server.url);
    await client.connect();
    const blocked = (who: string) =>
      untilTrue(
        `${who} waits`,
        async () =>
          (
            await client.query(
              'select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0',
            )
          ).rowCount! > 0,
      );
    try {
      const { mark } = await checkpoints.load(stream, 'reports');
      // Simulates a save that is not committed.
      await client.query('begin');
      await client.query('select from civic.erasure_mark for share');
      await client.query(
        `insert into civic.decider_checkpoints values ($1, 'reports', 3, 5, gen_random_uuid(), '{}', 'sealed')`,
        [stream],
      );
      const dropped = traces().clear([stream], 0);
      await blocked('the drop');
      await client.query('commit');
      await dropped;
      expect((await checkpoints.load(stream, 'reports')).checkpoint).toBeNull();
      // Simulates a drop that is not committed.
      const next = (await checkpoints.load(stream, 'reports')).mark;
      expect(next).not.toBe(mark);
      await client.query('begin');
      await client.query('update civic.erasure_mark set drops = drops + 1');
      const saved = checkpoints.save(checkpointOf(stream, 'reports', 9), next);
      await blocked('the save');
      await client.query('commit');
      await saved;
      expect((await checkpoints.load(stream, 'reports')).checkpoint).toBeNull();
    } finally {
      await client.end();
    }
  });
});
