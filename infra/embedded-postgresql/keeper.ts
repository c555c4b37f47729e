import { nativeFolder } from './binaries.ts';
import { boundedLog } from './bounded-log.ts';
import { ensureCluster } from './cluster.ts';
import { claimDataDirectory, folderReason } from './data-marker.ts';
import type { DataLayout } from './data-layout.ts';
import { withCopiedPrograms } from './copied-programs.ts';
import type { KeeperMessage } from './keeper-messages.ts';
import { planLaunch } from './launch-plan.ts';
import type { PostmasterStart } from './postmaster.ts';
import { startPostmaster } from './postmaster.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';
import { makeRunDirectory, removeRunDirectory } from './run-directory.ts';
import { serverUrl } from './server-settings.ts';
import type { ClientRegistry } from './client-registry.ts';
import { openClientRegistry } from './client-registry.ts';

const serverLogLimit = 4 * 1024 * 1024;

/** A server that dies this often within this many milliseconds will not be started once more. */
const restarts = { most: 5, within: 60_000 };

/**
 * Runs the server of a data directory while it has users: starts it, starts it again when it dies, stops it when the last user has
 * left. `lock` is the descriptor of the keeper's lock, held by the caller and inherited by all of the server's processes.
 */
export async function keepServer(dataDir: string, lock: number): Promise<void> {
  const layout = claimDataDirectory(dataDir);
  try {
    await keep(layout, lock);
  } catch (error) {
    throw new EmbeddedDatabaseRefused(lossReason(layout, error), { cause: error });
  } finally {
    removeRunDirectory(layout);
  }
}

async function keep(layout: DataLayout, lock: number): Promise<void> {
  const planned = planLaunch(nativeFolder(), layout.root, layout.cluster);
  const copy = planned.way === 'from-copy';
  const run = makeRunDirectory(layout, planned.owner, !copy);
  const registry = await openClientRegistry(run.keeperSocket);
  try {
    const plan = copy ? withCopiedPrograms(planned, run.folder) : planned;
    const password = await ensureCluster({ layout, plan, lock });
    const log = boundedLog(layout.serverLog, serverLogLimit);
    const ready = { type: 'ready', url: serverUrl(run.serverSockets, password), keeper: process.pid, warning: plan.warning } as const;
    await serve(registry, ready, { layout, plan, socketDirectory: run.serverSockets, log, lock });
  } catch (error) {
    registry.broadcast({ type: 'lost', reason: lossReason(layout, error) });
    throw error;
  } finally {
    // Before the connections end: a user that reconnects must not find this keeper's socket.
    removeRunDirectory(layout);
    registry.end();
  }
}

async function serve(registry: ClientRegistry, ready: KeeperMessage, start: PostmasterStart): Promise<void> {
  const deaths: number[] = [];
  let server = await startPostmaster(start);
  registry.broadcast(ready);
  for (;;) {
    const end = await Promise.race([server.ended, registry.untilIdle()]);
    if (end === undefined) {
      if (!registry.closeIfIdle()) continue;
      await server.stop();
      return;
    }
    registry.withdrawReady();
    deaths.push(performance.now());
    if (deaths.length > restarts.most && performance.now() - (deaths.at(-1 - restarts.most) ?? 0) < restarts.within) {
      throw new EmbeddedDatabaseRefused(`the embedded PostgreSQL has died ${deaths.length} times (${end}): see ${start.layout.serverLog}`);
    }
    server = await startPostmaster(start);
    registry.broadcast({ type: 'restarted', reason: end });
    registry.broadcast(ready);
  }
}

/** The message to users when there will be no server. */
function lossReason(layout: DataLayout, error: unknown): string {
  return error instanceof EmbeddedDatabaseRefused ? error.message : folderReason(layout.root, error);
}
