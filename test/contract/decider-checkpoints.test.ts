import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeciderCheckpoints } from '../../infra/postgresql/decider-checkpoints.ts';
import { migrate } from '../../infra/postgresql/migrate.ts';
import { type Database, openDatabase } from '../../infra/postgresql/open-database.ts';
import type { DeciderCheckpoint, DeciderCheckpoints } from '../../src/domain/ports/decider-checkpoints.ts';
import { KeptLog } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

let server: TestDatabase;
let database: Database;
let checkpoints: DeciderCheckpoints;
const logger = new KeptLog();

beforeAll(async () => {
  server = await startTestDatabase();
  await migrate(server.url);
  database = await openDatabase({ dsn: server.url, statementTimeoutMs: 5_000 });
  checkpoints = createDeciderCheckpoints(database.read, database.transactor, logger);
});
afterAll(async () => {
  await database?.close();
  await server?.close();
});

const made = (stream: string, decider: string, revision: number, state = '{"a":"ü \\u0000 \\"x\\""}'): DeciderCheckpoint => ({
  stream,
  decider,
  version: 3,
  revision,
  eventId: randomUUID(),
  state,
  seal: 'sealed',
});

test('a checkpoint comes back as it was kept, byte for byte, and only to its stream and decider', async () => {
  const kept = made('account_feeds-1', 'feeds', 5);
  await checkpoints.save(kept);
  expect(await checkpoints.load('account_feeds-1', 'feeds')).toEqual(kept);
  expect(await checkpoints.load('account_feeds-1', 'keys')).toBeNull();
  expect(await checkpoints.load('account_feeds-2', 'feeds')).toBeNull();
});

test('the latest takes the place of the one before, also after a restore that set the stream back', async () => {
  for (const revision of [10, 20, 15]) {
    const kept = made('account_feeds-3', 'feeds', revision, `{"revision":${revision}}`);
    await checkpoints.save(kept);
    expect(await checkpoints.load('account_feeds-3', 'feeds')).toEqual(kept);
  }
});

test('a store that cannot be had is nothing kept and nothing thrown, and is logged', async () => {
  const closed = await openDatabase({ dsn: server.url, statementTimeoutMs: 5_000 });
  await closed.close();
  const broken = createDeciderCheckpoints(closed.read, closed.transactor, logger);
  expect(await broken.load('account_feeds-1', 'feeds')).toBeNull();
  await broken.save(made('account_feeds-1', 'feeds', 99));
  expect((await checkpoints.load('account_feeds-1', 'feeds'))!.revision).toBe(5);
  expect(logger.warnings.join('\n')).toMatch(/could not be read[\s\S]*could not be kept/);
});
