import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, copyFileSync, fstatSync, ftruncateSync, openSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nativeFolder, program } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { type DataLayout, giveToOwner } from './data-directory.ts';
import { dataArgument, planLaunch, withCopiedPrograms } from './launch-plan.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';
import { makeRunDirectory } from './run-directory.ts';
import { serverArguments } from './server-settings.ts';
import { failureReason } from './start-failure.ts';

const SUPERVISOR = fileURLToPath(new URL('supervisor.sh', import.meta.url));
const SERVER_LOG_LIMIT = 4 * 1024 * 1024;

/** A server that this process has started; it goes on without this process while it has users. */
export interface StartedServer {
  /** Why the server has ended, in one line for the operator; undefined while it runs. */
  failure(): string | undefined;
  /** Call it when the server has a user or has failed. */
  release(): void;
}

/**
 * Starts the server of a data directory under its supervisor, on a cluster that is made or completed before. `lock` is the descriptor of the data
 * directory's lock, which every process of the server inherits. Throws `EmbeddedDatabaseRefused`.
 */
export async function startServer(layout: DataLayout, lock: number): Promise<StartedServer> {
  const planned = planLaunch(nativeFolder(), layout.root, layout.cluster);
  const isCopied = planned.way === 'from-copy';
  const run = makeRunDirectory(layout, planned.owner, !isCopied);
  const plan = isCopied ? withCopiedPrograms(planned, run.folder) : planned;
  await ensureCluster({ layout, plan, lock });
  const fifo = spawnSync('mkfifo', ['-m', '600', run.users], { encoding: 'utf8' });
  if (fifo.status !== 0) throw new EmbeddedDatabaseRefused(failureReason([fifo.error?.message ?? fifo.stderr], layout));
  limitServerLog(layout);
  const log = openServerLog(layout.serverLog);
  giveToOwner(log, layout.root);
  // Until the server has a user: users find a reader before the supervisor has opened the FIFO, and the supervisor finds a writer.
  const ends = [constants.O_RDONLY, constants.O_WRONLY].map((end) => openSync(run.users, end | constants.O_NONBLOCK));
  const written = fstatSync(log).size;
  const data = dataArgument(plan, layout.cluster);
  const server = [...plan.prefix, program(plan.native, 'postgres'), ...serverArguments(data.argument, run.serverSockets)];
  const supervisor = spawn('sh', [SUPERVISOR, layout.run, run.folder, ...server], {
    detached: true,
    cwd: data.cwd,
    stdio: ['ignore', 'ignore', log, lock],
    env: { PATH: process.env['PATH'], TZ: 'UTC' },
  });
  closeSync(log);
  let hasEnded = false;
  let spawnFailure: string | undefined;
  supervisor.once('exit', () => (hasEnded = true));
  supervisor.once('error', (error) => (spawnFailure = `the supervisor of the embedded PostgreSQL does not start: ${error.message}`));
  supervisor.unref();
  const failure = (): string | undefined =>
    hasEnded ? failureReason(readFileSync(layout.serverLog).subarray(written).toString().split('\n'), layout) : spawnFailure;
  return { failure, release: () => ends.forEach((end) => closeSync(end)) };
}

/** At the limit the log becomes `<name>.1` and begins anew. The server goes on writing to the same file. */
export function limitServerLog({ serverLog }: DataLayout): void {
  let log: number | undefined;
  try {
    log = openServerLog(serverLog);
    if (fstatSync(log).size <= SERVER_LOG_LIMIT) return;
    rmSync(`${serverLog}.1`, { force: true });
    copyFileSync(serverLog, `${serverLog}.1`, constants.COPYFILE_EXCL);
    ftruncateSync(log);
  } catch {
    // A log that cannot be copied (a full disk) must not stop the database that it describes.
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

/** Follows no link: root may run the server in the folder of another account. */
function openServerLog(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
}
