import { mkdtempSync, openSync, chmodSync, closeSync, rmSync, mkdirSync, chownSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativeFolder } from '../../infra/embedded-postgresql/binaries.ts';
import { boundedLog } from '../../infra/embedded-postgresql/bounded-log.ts';
import { ensureCluster } from '../../infra/embedded-postgresql/cluster.ts';
import { dataLayout } from '../../infra/embedded-postgresql/data-layout.ts';
import { planLaunch } from '../../infra/embedded-postgresql/launch-plan.ts';
import { startPostmaster } from '../../infra/embedded-postgresql/postmaster.ts';
import { serverUrl } from '../../infra/embedded-postgresql/server-settings.ts';

/** One PostgreSQL server in a folder of its own, gone with all its data after `stop`. */
export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startTestServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'civic-test-'));
  chmodSync(folder, 0o711);
  const layout = dataLayout(folder);
  const plan = planLaunch(nativeFolder(), folder, layout.cluster);
  const lock = openSync(layout.lock, 'a', 0o600);
  await ensureCluster(layout, plan, lock);
  mkdirSync(layout.run, { mode: 0o700 });
  if (plan.owner !== undefined) chownSync(layout.run, plan.owner.uid, plan.owner.gid);
  const server = await startPostmaster({ layout, plan, socketDirectory: layout.run, log: boundedLog(layout.serverLog, 1e6), lock });
  closeSync(lock);
  return {
    url: serverUrl(layout.run, 'postgres'),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
