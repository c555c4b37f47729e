import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { describe } from 'vitest';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { migrate } from '../../infra/postgresql/connection/schema-state.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import type { Store } from '../support/event-log-builders.ts';
import { imageOf } from '../support/compose.ts';
import { CONTAINER_START_MS, imageMissing } from '../support/containers.ts';
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

const configuredUrl = process.env.DATABASE_URL;
describe.skipIf(configuredUrl === undefined)(
  'with DATABASE_URL (set it to a server where this user may create databases)',
  () => {
    eventLogContract('the server of DATABASE_URL', async () => await openOnServer(configuredUrl!, async () => {}));
  },
);

const image = imageOf('postgres');
const missing = await imageMissing(image);
describe.skipIf(missing !== null)(`in a container (${missing ?? 'Docker runs here'})`, () => {
  eventLogContract(image, async () => {
    const { GenericContainer, Wait } = await import('testcontainers');
    const container = await new GenericContainer(image)
      .withEnvironment({ POSTGRES_HOST_AUTH_METHOD: 'trust' })
      .withExposedPorts(5432)
      .withStartupTimeout(CONTAINER_START_MS)
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
      .start();
    const server = `postgres://postgres@${container.getHost()}:${container.getMappedPort(5432)}/postgres`;
    return await openOnServer(server, async () => void (await container.stop()));
  });
});
