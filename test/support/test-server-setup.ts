import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { migrate } from '../../infra/postgresql/connection/schema-state.ts';
import { createGenerationStore } from '../../infra/postgresql/read-models/generations.ts';
import { PROJECTIONS } from '../../src/app/read-models.ts';
import { temporaryFolder } from './embedded-users.ts';
import { onServer } from './on-server.ts';
import { copyDataDir, FOLDED_DATABASE, MIGRATED_DATABASE, PREPARED_DATA_DIR } from './prepared-data.ts';
import { useTestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The connection string of the run's PostgreSQL server. */
    testServerUrl: string;
  }
}

const TIMEOUT_MS = 60_000;

/** Every lane loads this file again, and all run in one process. */
const run: { dataDir?: Promise<string>; template?: Promise<void> } = ((globalThis as Record<symbol, object>)[
  Symbol.for('civic-records.test-run')
] ??= {});

/** Starts the PostgreSQL server that the test files of a run share, each with its own database. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  run.dataDir ??= prepare(temporaryFolder());
  const server = await useTestServer(await run.dataDir);
  run.template ??= makeTemplates(server.url);
  await run.template;
  project.provide('testServerUrl', server.url);
  return async () => server.stop();
}

/** Makes the databases that those of the tests are copied from. */
async function makeTemplates(server: string): Promise<void> {
  await onServer(server, `create database ${MIGRATED_DATABASE} template postgres strategy file_copy`);
  await onServer(server, `create database ${FOLDED_DATABASE} template postgres strategy file_copy`);
  await createReadModels(server.replace(/\/[^/]*$/, `/${FOLDED_DATABASE}`));
}

/** Makes the tables of every read model, as a projector does for an empty log. */
async function createReadModels(dsn: string): Promise<void> {
  const database = await openDatabase({ dsn, statementTimeoutMs: TIMEOUT_MS });
  try {
    const generations = createGenerationStore(database.transactor);
    for (const projection of PROJECTIONS) await generations.create(projection, 'live', Date.now());
  } finally {
    await database.close();
  }
}

/**
 * Creates the data directory that installations of the tests begin with, and that of the run's server. Both are deleted
 * with the server.
 */
async function prepare(folder: string): Promise<string> {
  const [prepared, dataDir] = [join(folder, 'prepared'), join(folder, 'data')];
  const server = await useTestServer(prepared);
  await migrate(server.url);
  await server.leave();
  copyDataDir(prepared, dataDir);
  process.env[PREPARED_DATA_DIR] = prepared;
  return dataDir;
}
