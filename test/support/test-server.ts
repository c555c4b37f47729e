import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { attachEmbedded } from '../../infra/embedded-postgresql/attach.ts';
import { createLogger } from '../../infra/system/logging.ts';
import { temporaryFolder } from './embedded-users.ts';

/** An empty PostgreSQL server. */
export interface TestServer {
  readonly url: string;
  readonly dataDir: string;
  /** Stops it, unless another still uses it. */
  leave(): Promise<void>;
  /** The same, and removes its data. */
  stop(): Promise<void>;
}

/** Starts a separate server, for a test that kills or stops it; other tests use a database of the run's server. */
export async function startTestServer(): Promise<TestServer> {
  return useTestServer(join(temporaryFolder(), 'data'));
}

/** Uses the server of a data directory below a temporary folder, started if it does not run; both go with the last to stop it. */
export async function useTestServer(dataDir: string): Promise<TestServer> {
  const database = await attachEmbedded({
    dataDir,
    role: 'command',
    startTimeoutMs: 60_000,
    logger: createLogger('silent', 'json'),
  });
  return {
    url: database.url,
    dataDir,
    leave: () => database.leave(),
    async stop() {
      await database.leave();
      if (!existsSync(join(dataDir, 'run'))) rmSync(join(dataDir, '..'), { recursive: true, force: true });
    },
  };
}
