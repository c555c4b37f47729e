import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { temporaryFolder } from './embedded-users.ts';
import { useTestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The connection string of the run's PostgreSQL server. */
    testServerUrl: string;
  }
}

/** Every lane loads this file anew, and all run in one process. */
const run: { testDataDir?: string } = ((globalThis as Record<symbol, object>)[Symbol.for('civic-records.test-run')] ??= {});

/** Starts the PostgreSQL server that the test files of a run share, each with a database of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  run.testDataDir ??= join(temporaryFolder(), 'data');
  const server = await useTestServer(run.testDataDir);
  project.provide('testServerUrl', server.url);
  return async () => server.stop();
}
