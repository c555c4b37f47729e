import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFeed } from '../../commands/feed/feed-identity.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { createFillLock } from '../../infra/postgresql/read-models/fill-lock.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.close());

const free = () => createFillLock(database.url).tryRun(async () => 'free');

async function withClient(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  await work(client);
  await client.end();
}

test('one process at a time fills a log, and its result or error is that of its work', async () => {
  const lock = createFillLock(database.url);
  expect(await lock.tryRun(async () => [await free(), 'filled'])).toEqual([null, 'filled']);
  await expect(lock.tryRun(() => Promise.reject(new Error('the work failed')))).rejects.toThrow('the work failed');
  expect(await free()).toBe('free');
});

test('work whose session has ended fails, and another process may fill the log', async () => {
  const running = createFillLock(database.url).tryRun(async () => {
    await withClient((client) =>
      client.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`),
    );
    await new Promise(() => undefined);
  });
  await expect(running).rejects.toThrow('was lost: run the same command again');
  expect(await free()).toBe('free');
});

test('the session stays where the server ends idle ones', async () => {
  await withClient((client) =>
    client.query(
      `do $$ begin execute format('alter database %I set idle_session_timeout = 2000', current_database()); end $$`,
    ),
  );
  const result = await createFillLock(database.url).tryRun(async () => {
    const idle = new Client({ connectionString: database.url });
    idle.on('error', () => undefined);
    const ended = new Promise((resolve) => idle.once('end', resolve));
    await idle.connect();
    await ended;
    return free();
  });
  expect(result).toBeNull();
  await withClient((client) =>
    client.query(
      `do $$ begin execute format('alter database %I reset idle_session_timeout', current_database()); end $$`,
    ),
  );
});

test('a start does not wait for ever for the process that fills the log', async () => {
  const log = openEventLog({ dsn: database.url, statementTimeoutMs: 10_000 });
  const clock = { now: () => 1, sleep: async () => undefined };
  const fillLock = { tryRun: async () => null };
  await expect(openFeed({ log, clock, identifiers: randomIdentifiers, fillLock })).rejects.toThrow(
    'another process fills the empty log',
  );
  await log.close();
});
