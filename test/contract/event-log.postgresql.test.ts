import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { describe } from 'vitest';
import { openEventLog } from '../../infra/postgresql/event-log.ts';
import { migrate } from '../../infra/postgresql/schema-state.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import type { Store } from '../support/event-log-builders.ts';
import { containersRun } from '../support/containers.ts';
import { eventLogContract } from './event-log.suite.ts';

async function openOn(dsn: string, stop: () => Promise<void>): Promise<Store> {
  await migrate(dsn);
  return { connect: () => openEventLog({ dsn, statementTimeoutMs: 10_000 }), stop };
}

/** A separate database on a given server, dropped at the end. */
async function openOnServer(server: string, stop: () => Promise<void>): Promise<Store> {
  const name = `civic_contract_${randomBytes(6).toString('hex')}`;
  const onServer = async (statement: string): Promise<void> => {
    const client = new Client(server);
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await onServer(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return await openOn(url.toString(), async () => {
    await onServer(`drop database ${name} with (force)`);
    await stop();
  });
}

eventLogContract('the embedded PostgreSQL', async () => {
  const database = await startTestDatabase();
  return await openOn(database.url, async () => await database.close());
});

const given = process.env.DATABASE_URL;
describe.skipIf(given === undefined)('with DATABASE_URL (set it to a server where this user may create databases)', () => {
  eventLogContract('the server of DATABASE_URL', async () => await openOnServer(given!, async () => {}));
});

describe.skipIf(!(await containersRun()))('in a container (start Docker to run these)', () => {
  eventLogContract('postgres:17', async () => {
    const { GenericContainer, Wait } = await import('testcontainers');
    const container = await new GenericContainer('postgres:17')
      .withEnvironment({ POSTGRES_HOST_AUTH_METHOD: 'trust' })
      .withExposedPorts(5432)
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
      .start();
    const server = `postgres://postgres@${container.getHost()}:${container.getMappedPort(5432)}/postgres`;
    return await openOnServer(server, async () => void (await container.stop()));
  });
});
