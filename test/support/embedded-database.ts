import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

/** An empty database of a real PostgreSQL server, for one test file or one test. */
export interface TestDatabase {
  /** A connection string that pg and slonik accept. */
  readonly url: string;
  /** Ends whatever is still connected and drops the database. */
  close(): Promise<void>;
}

/** Makes an empty database on the server that the lane's tests share; call `close` in `afterAll`. Fails in the fast lane, which has no server. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const server = inject('testServerUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `create database ${name}`);
  const url = server.replace(/\/[^/]*$/, `/${name}`);
  return { url, close: async () => onServer(server, `drop database if exists ${name} with (force)`) };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
