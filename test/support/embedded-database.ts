import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { onServer } from './on-server.ts';
import { FOLDED_DATABASE, MIGRATED_DATABASE } from './prepared-data.ts';

/** A database of a real PostgreSQL server, for one test file or one test. */
export interface TestDatabase {
  /** A connection string that pg and slonik accept. */
  readonly url: string;
  /** Ends open connections and drops the database. */
  close(): Promise<void>;
}

/**
 * Makes a database with all migrations applied on the server that the lane's tests share; call `close` in `afterAll`.
 * Fails in the fast lane, which has no server.
 */
export const startTestDatabase = (): Promise<TestDatabase> => newDatabase(` template ${MIGRATED_DATABASE}`);

/** The same with the empty tables of every read model. Their creation takes a third of the start of a service. */
export const startFoldedDatabase = (): Promise<TestDatabase> => newDatabase(` template ${FOLDED_DATABASE}`);

/**
 * Makes a database without a table, for tests of migrations and first starts. The migrations take three times as long
 * as the copy.
 */
export const startEmptyDatabase = (): Promise<TestDatabase> => newDatabase('');

/** A copy of a test database to which nothing is connected, as an image of its disk would be. */
export const copyTestDatabase = ({ url }: TestDatabase): Promise<TestDatabase> =>
  newDatabase(` template ${url.split('/').at(-1)}`);

async function newDatabase(template: string): Promise<TestDatabase> {
  const server = inject('testServerUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  // The default takes a third longer in memory, and its removal three times as long.
  await onServer(server, `create database ${name}${template} strategy file_copy`);
  return testDatabase(server, name);
}

/**
 * Replaces a database by another under open connections, as the promotion of a standby does. Close the replaced one
 * alone.
 */
export async function replaceTestDatabase(replaced: TestDatabase, { url }: TestDatabase): Promise<void> {
  const server = inject('testServerUrl');
  const [name, other] = [replaced.url, url].map((each) => each.split('/').at(-1)!);
  await onServer(server, `alter database ${name} allow_connections false`);
  await onServer(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await onServer(server, `alter database ${name} rename to ${name}_lost`);
  await onServer(server, `alter database ${other} rename to ${name}`);
  await onServer(server, `drop database ${name}_lost with (force)`);
}

const testDatabase = (server: string, name: string): TestDatabase => ({
  url: server.replace(/\/[^/]*$/, `/${name}`),
  close: async () => onServer(server, `drop database if exists ${name} with (force)`),
});
