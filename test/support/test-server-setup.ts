import type { TestProject } from 'vitest/node';
import { startTestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The connection string of the run's PostgreSQL server. */
    testServerUrl: string;
  }
}

/** Starts the PostgreSQL server that the test files of a lane share, each with a database of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestServer();
  project.provide('testServerUrl', server.url);
  return async () => server.stop();
}
