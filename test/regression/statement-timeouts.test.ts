import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openStatementPool, type StatementPool } from '../../infra/postgresql/connection/statement-pool.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

const PATIENT = { timeout: 30_000, interval: 50 };
const SLOW = { text: 'select pg_sleep(60)', values: [] };
const PID = { text: 'select pg_backend_pid() as pid', values: [] };

let server: TestDatabase;
let admin: Client;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  server = await startTestDatabase();
  admin = new Client(server.url);
  await admin.connect();
  await admin.query('create table locked (n int); insert into locked values (7)');
});
afterEach(async () => void (await Promise.all(opened.splice(0).map((each) => each.close()))));
afterAll(async () => {
  await admin?.end();
  await server?.close();
});

function connect(statementTimeoutMs: number): StatementPool {
  const connection = openStatementPool({ dsn: server.url, purpose: 'timeouts', statementTimeoutMs }, 1);
  opened.push(connection);
  return connection;
}

test('consecutive statements that each time out leave the connection open', { timeout: 60_000 }, async () => {
  const connection = connect(200);
  const pid = async () => (await connection.query<{ pid: number }>(PID)).rows[0]!.pid;
  const before = await pid();
  const slow = await Promise.allSettled(Array.from({ length: 20 }, () => connection.query(SLOW)));
  for (const each of slow)
    expect(each).toMatchObject({ status: 'rejected', reason: expect.any(DeadlineExceeded) as unknown });
  await expect.poll(() => pid().catch((error: Error) => error.name), PATIENT).not.toBe('DeadlineExceeded');
  expect(await pid()).toBe(before);
});

test('statements of one name are answered after the first of them timed out before it was prepared', {
  timeout: 60_000,
}, async () => {
  const connection = connect(1_000);
  await admin.query('begin; lock table locked in access exclusive mode');
  const named = { name: 'read_locked', text: 'select n from locked', values: [] };
  try {
    const first = connection.query(named);
    const others = Promise.allSettled(Array.from({ length: 20 }, () => connection.query(named)));
    await expect(first).rejects.toBeInstanceOf(DeadlineExceeded);
    await admin.query('commit');
    for (const each of await others) expect(each).toMatchObject({ status: 'fulfilled', value: { rows: [{ n: 7 }] } });
  } finally {
    await admin.query('rollback');
  }
});

test('statements beside a long-running one are answered on the other connections of the pool', {
  timeout: 60_000,
}, async () => {
  const pool = openStatementPool({ dsn: server.url, purpose: 'timeouts', statementTimeoutMs: 50_000 }, 2);
  opened.push(pool);
  await Promise.all([pool.query(PID), pool.query(PID)]);
  await expect.poll(() => pool.use().open, PATIENT).toBe(2);
  let isOver = false;
  const slow = pool.query(SLOW).catch((error: unknown) => {
    isOver = true;
    return error;
  });
  const sleeping = `pg_stat_activity where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`;
  const runningFor = `select from ${sleeping} and clock_timestamp() - query_start > '300 ms'`;
  await expect.poll(async () => (await admin.query(runningFor)).rowCount, PATIENT).toBe(1);
  const beside = await Promise.allSettled(Array.from({ length: 50 }, () => pool.query(PID)));
  expect(beside.map(({ status }) => status)).toEqual(beside.map(() => 'fulfilled'));
  expect(isOver).toBe(false);
  await admin.query(`select pg_cancel_backend(pid) from ${sleeping}`);
  expect(await slow).toBeInstanceOf(DeadlineExceeded);
});
