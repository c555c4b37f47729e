import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { migrate } from '../../infra/postgresql/connection/schema-state.ts';
import { NO_STREAM } from '../../domain/ports/event-log.ts';
import type { Readiness } from '../../src/edge/ops/ops-server.ts';
import { startEmptyDatabase, startTestDatabase } from '../support/embedded-database.ts';
import { freshStream, newEvents } from '../support/event-log-builders.ts';
import { copyDataDir } from '../support/prepared-data.ts';
import { makeCluster, newServerFolder, onServer, serverFolder, startServer } from '../support/postgresql-server.ts';
import { serveCivic } from '../support/served-civic.ts';
import { makeInstallation } from '../support/service.ts';

const LANES = 2;
const APPENDS = 12;
const PATIENT = { timeout: 60_000, interval: 100 };

/** Each refusal left one more connection open, until the server accepted no connection. */
test('appends to a database that became read-only, as after a failover, leave no connection open', async () => {
  const server = await startEmptyDatabase();
  const admin = new Client(server.url);
  const dsn = new URL(server.url);
  dsn.searchParams.set('options', '-c default_transaction_read_only=on');
  const log = openEventLog({ dsn: dsn.toString(), statementTimeoutMs: 20_000, lanes: LANES });
  try {
    await migrate(server.url);
    await admin.connect();
    for (let number = 0; number < APPENDS; number += 1) {
      await expect(
        log.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: newEvents(1) }),
      ).rejects.toThrow();
    }
    const open = async () =>
      (
        await admin.query(
          `select from pg_stat_activity where application_name = 'civic-log-appends' and datname = current_database()`,
        )
      ).rowCount;
    await expect.poll(open).toBeLessThanOrEqual(LANES);
  } finally {
    await log.close();
    await admin.end();
    await server.close();
  }
});

/** It answered `ready` while every request was answered 503. */
test('a service whose requests a read-only database refuses says so in /readyz, until one is served again', async () => {
  const server = await startTestDatabase();
  const served = await serveCivic(server.url, { CIVIC_OPS_PORT: '0' });
  const admin = new Client(server.url);
  try {
    await admin.connect();
    const { secret } = await served.issueKey(await served.openAccount());
    const status = async () => (await served.ask('GET', '/changes', secret)).status;
    const readyz = async () => {
      const answer = await fetch(`${served.opsUrl}/readyz`);
      const { status: health, checks } = (await answer.json()) as Readiness;
      return [answer.status, health, ...checks.filter(({ ok }) => !ok).map(({ name, reason }) => `${name}: ${reason}`)];
    };
    const reconnected = async (change: string) => {
      await admin.query(`alter database ${admin.escapeIdentifier(admin.database!)} ${change}`);
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
    };
    await expect.poll(status, PATIENT).toBe(200);
    await expect.poll(readyz, PATIENT).toEqual([200, 'ready']);
    await reconnected('set default_transaction_read_only = on');
    const refused = [
      200,
      'degraded',
      expect.stringMatching(/^writes: the database is read-only: .*; name the primary in DATABASE_URL$/),
    ];
    await expect.poll(async () => [await status(), ...(await readyz())], PATIENT).toEqual([503, ...refused]);
    await reconnected('reset default_transaction_read_only');
    await expect.poll(status, PATIENT).toBe(200);
    await expect.poll(readyz, PATIENT).toEqual([200, 'ready']);
  } finally {
    await admin.end();
    await served.close();
    await server.close();
  }
});

nightlyTest('a standby whose primary is lost is backed up', async () => {
  const folder = newServerFolder();
  const at = (name: string): string => join(folder, name);
  const installation = makeInstallation('civic-standby-');
  makeCluster(at('primary'));
  let server = await startServer(at('primary'), serverFolder(at('at')));
  try {
    await onServer(server.dsn('postgres'), 'create database civic');
    const civic = (...args: readonly string[]) =>
      installation.civicHere([...args, '--json'], { env: { DATABASE_URL: server.dsn('civic') } });
    expect(await civic('accounts', 'open', '--name', 'Acme')).toMatchObject({ exitCode: 0 });
    await server.end('clean');
    copyDataDir(at('primary'), at('standby'));
    writeFileSync(at('standby/standby.signal'), '');
    server = await startServer(at('standby'), serverFolder(at('by')));
    const file = join(installation.folder, 'standby.gz');
    expect(await civic('backup', '--to', file)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await civic('backup', 'verify', file)).toMatchObject({ exitCode: 0 });
  } finally {
    await server.end('clean');
    await installation.close();
    rmSync(folder, { recursive: true });
  }
});
