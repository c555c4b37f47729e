import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RESTORE_BEGUN } from '../../domain/events/feed-events.ts';
import { NO_STREAM } from '../../domain/ports/event-log.ts';
import { restoreStream } from '../../domain/streams.ts';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { migrate } from '../../infra/postgresql/connection/schema-state.ts';
import type { Finding } from '../../src/cli/doctor/findings.ts';
import { startEmptyDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { newEvent } from '../support/event-log-builders.ts';
import { type Environment, type Installation, makeInstallation } from '../support/service.ts';

let installation: Installation;
let database: TestDatabase;
const FREE: Environment = { CIVIC_HTTP_PORT: '0', CIVIC_OPS_PORT: '0' };

beforeAll(async () => {
  installation = makeInstallation('civic-doctor-');
  database = await startEmptyDatabase();
});

afterAll(async () => {
  await installation.close();
  await database.close();
});

async function examined(
  env: Environment,
): Promise<{ readonly exitCode: number | null; readonly states: Record<string, Finding['state']> }> {
  const { exitCode, stdout } = await installation.civicHere(['doctor', '--json'], { env: { ...FREE, ...env } });
  const findings = JSON.parse(stdout) as readonly Finding[];
  return { exitCode, states: Object.fromEntries(findings.map(({ check, state }) => [check, state])) };
}
async function connected(): Promise<Client> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  return client;
}
async function run(sql: string) {
  const client = await connected();
  await client.query(sql);
  await client.end();
}

test('an installation that was never started has no finding, and the doctor does not change it', async () => {
  expect(await examined({})).toMatchObject({
    exitCode: 0,
    states: { database: 'ok', schema: 'ok', clock: 'ok', 'free disk': 'ok' },
  });
  expect(await examined({})).toMatchObject({ states: { schema: 'ok' } });
});

test('a foreign database fails the check of the schema only', async () => {
  await run('create table customers (id int)');
  expect(await examined({ DATABASE_URL: database.url })).toMatchObject({
    exitCode: 1,
    states: { database: 'ok', schema: 'failed' },
  });
});

test('a missing database is one finding, without a password in it', async () => {
  const env = { ...FREE, DATABASE_URL: 'postgres://civic:s3cret@127.0.0.1:1/civic' };
  const { exitCode, stdout, stderr } = await installation.civicHere(['doctor'], { env });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^database +failed +/m);
  expect(stdout + stderr).not.toContain('s3cret');
});

test('a database with locked tables is one finding, and the doctor ends', async () => {
  await run('drop table customers');
  await migrate(database.url);
  const locker = await connected();
  await locker.query('begin; lock table civic.events in access exclusive mode');
  expect(await examined({ DATABASE_URL: database.url })).toMatchObject({ exitCode: 1, states: { database: 'failed' } });
  await locker.end();
});

test('what every start is refused for fails the doctor with the same message', async () => {
  const env = { DATABASE_URL: database.url };
  const open = () => installation.civicHere(['accounts', 'open', '--name', 'Acme'], { env: { ...FREE, ...env } });
  const refused = async (message: RegExp) => {
    const { exitCode, stderr } = await open();
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
    const doctor = await installation.civicHere(['doctor', '--json'], { env: { ...FREE, ...env } });
    const finding = (JSON.parse(doctor.stdout) as readonly Finding[]).find(({ check }) => check === 'installation');
    expect([doctor.exitCode, finding?.state, `civic: ${finding?.found}\n`]).toEqual([1, 'failed', stderr]);
  };
  await run('drop schema if exists civic cascade');
  expect(await open()).toMatchObject({ exitCode: 0 });
  expect(await examined(env)).toMatchObject({ exitCode: 0, states: { installation: 'ok' } });
  await run(`update civic.installation set database = '1/2'`);
  await refused(/was brought here from another server or name/);
  await run(`update civic.installation set renewing = 'x'`);
  await refused(/a renewal of the feed's identity \(x\) did not finish/);
  await run('drop schema civic cascade');
  await migrate(database.url);
  const log = openEventLog({ dsn: database.url, statementTimeoutMs: 10_000 });
  const id = '00000000-0000-4000-8000-000000000001';
  const data = JSON.stringify({
    restoreId: id,
    backupId: id,
    sha256: '0'.repeat(64),
    events: 7,
    asCopy: false,
    revokeKeys: false,
  });
  await log.append({
    stream: restoreStream(id),
    expectedRevision: NO_STREAM,
    events: [newEvent({ type: RESTORE_BEGUN, data })],
  });
  await log.close();
  await refused(/a restore of the backup .* has not ended/);
});

test('a read-only database fails the doctor and refuses a command that writes, also with a current schema', async () => {
  await run('drop schema if exists civic cascade');
  await migrate(database.url);
  const url = new URL(database.url);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  const env = { DATABASE_URL: url.toString() };
  expect(await examined(env)).toMatchObject({ exitCode: 1, states: { database: 'ok', writes: 'failed' } });
  const { exitCode, stderr } = await installation.civicHere(['accounts', 'open', '--name', 'Acme'], {
    env: { ...FREE, ...env },
  });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^civic: the database .* is read-only: .*; name the primary in DATABASE_URL\n$/);
});
