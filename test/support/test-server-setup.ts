import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { ensureProgram } from '../../tools/program.mjs';
import { migrate } from '../../infra/postgresql/schema-state.ts';
import { temporaryFolder } from './embedded-users.ts';
import { onServer } from './on-server.ts';
import { copyDataDir, MIGRATED_DATABASE, PREPARED_DATA_DIR } from './prepared-data.ts';
import { useTestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The connection string of the run's PostgreSQL server. */
    testServerUrl: string;
  }
}

/** Every lane loads this file anew, and all run in one process. */
const run: { program?: Promise<void>; dataDir?: Promise<string>; template?: Promise<void> } = ((globalThis as Record<symbol, object>)[
  Symbol.for('civic-records.test-run')
] ??= {});

/** Builds the program that tests start, and starts the PostgreSQL server that the test files of a run share, each with a database of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  run.program ??= ensureProgram();
  run.dataDir ??= prepare(temporaryFolder());
  await run.program;
  const server = await useTestServer(await run.dataDir);
  run.template ??= onServer(server.url, `create database ${MIGRATED_DATABASE} template postgres strategy file_copy`);
  await run.template;
  project.provide('testServerUrl', server.url);
  return async () => server.stop();
}

/** Makes the data directory that installations of the tests begin with, and beside it that of the run's server: both go with the server. */
async function prepare(folder: string): Promise<string> {
  const [prepared, dataDir] = [join(folder, 'prepared'), join(folder, 'data')];
  const server = await useTestServer(prepared);
  await migrate(server.url);
  await server.leave();
  copyDataDir(prepared, dataDir);
  process.env[PREPARED_DATA_DIR] = prepared;
  return dataDir;
}
