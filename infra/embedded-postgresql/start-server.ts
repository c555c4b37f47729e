import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFile } from '../../domain/program-files.ts';
import { type DataLayout, giveToOwner, hasHadCluster } from './data-directory.ts';
import { type ClusterStart, commandOf, type Owner, planLaunch, runProgram, runs, withCopiedPrograms } from './launch-plan.ts';
import { EmbeddedDatabaseRefused, failureReason, unlessGone } from './refusal.ts';
import { lockOpened, makeRunDirectory } from './run-directory.ts';
import { serverArguments, superuser } from './server-settings.ts';
import { secureCluster } from './password.ts';
import { endRemains } from './server-processes.ts';

const SUPERVISOR = fileURLToPath(programFile('infra/embedded-postgresql/supervisor.sh'));
/** Bytes. */
const [SERVER_LOG_LIMIT, COPIED_AT_ONCE] = [4 * 1024 * 1024, 64 * 1024];

/**
 * Runs on without this process while it has users. Makes or completes the cluster before. Every process of the server inherits `lock`, the
 * descriptor of the lock of the data directory. Throws `EmbeddedDatabaseRefused`.
 */
export async function startServer(layout: DataLayout, lock: number) {
  const planned = planLaunch(layout);
  const run = makeRunDirectory(layout, planned);
  const plan = planned.fromCopy ? withCopiedPrograms(planned, run.folder) : planned;
  await ensureCluster({ layout, plan, lock });
  const fifo = spawnSync('mkfifo', ['-m', '600', run.users], { encoding: 'utf8' });
  if (fifo.status !== 0) throw new EmbeddedDatabaseRefused(failureReason([fifo.error?.message ?? fifo.stderr], layout));
  limitServerLog(layout);
  const log = openServerLog(layout.serverLog);
  giveToOwner(log, layout.root);
  // Kept until the server has a user: users find a reader before the supervisor opens the FIFO, and the supervisor finds a writer.
  const ends = [fs.constants.O_RDONLY, fs.constants.O_WRONLY].map((end) => fs.openSync(run.users, end | fs.constants.O_NONBLOCK));
  const written = fs.fstatSync(log).size;
  const args = (data: string) => serverArguments(data, run.serverSockets);
  const { command, ...place } = commandOf(plan, { name: 'postgres', folder: layout.cluster, args });
  const supervisor = spawn('sh', [SUPERVISOR, layout.run, run.folder, ...command], {
    ...place,
    detached: true,
    stdio: ['ignore', 'ignore', log, lock],
  });
  fs.closeSync(log);
  let hasEnded = false;
  let spawnFailure: string | undefined;
  supervisor.once('exit', () => (hasEnded = true));
  supervisor.once('error', (error) => (spawnFailure = `the supervisor of the embedded PostgreSQL does not start: ${error.message}`));
  supervisor.unref();
  return {
    /** One line when the server has ended; undefined while it runs. */
    failure: (): string | undefined =>
      hasEnded ? failureReason(fs.readFileSync(layout.serverLog).subarray(written).toString().split('\n'), layout) : spawnFailure,
    /** Call it when the server has a user or has failed. */
    release: (): void => ends.forEach((end) => fs.closeSync(end)),
  };
}

/**
 * At the limit the log is copied to `<name>.1` and truncated; the server writes on to the same file. Every user of the server looks at it, and
 * one at a time moves it.
 */
export function limitServerLog({ root, serverLog }: DataLayout): void {
  let log: number | undefined;
  const isOverLimit = (opened: number) => fs.fstatSync(opened).size > SERVER_LOG_LIMIT;
  try {
    log = openServerLog(serverLog);
    if (!isOverLimit(log) || !lockOpened(log, root) || !isOverLimit(log)) return;
    const moved = `${serverLog}.1`;
    fs.rmSync(moved, { force: true });
    copyUpToEnd(log, moved);
    fs.ftruncateSync(log);
  } catch {
    // A log that cannot be copied (a full disk) must not stop the database that it describes.
  } finally {
    if (log !== undefined) fs.closeSync(log);
  }
}

/** Makes a file, and leaves none where it fails. Not the `copyFile` of Node, which never ends where another program shortens the log meanwhile. */
function copyUpToEnd(log: number, path: string): void {
  const copy = fs.openSync(path, 'wx', 0o600);
  const piece = Buffer.allocUnsafe(COPIED_AT_ONCE);
  try {
    for (let at = 0, read = 0; (read = fs.readSync(log, piece, 0, piece.length, at)) > 0; at += read) {
      fs.writeFileSync(copy, piece.subarray(0, read));
    }
  } catch (error) {
    fs.rmSync(path, { force: true });
    throw error;
  } finally {
    fs.closeSync(copy);
  }
}

/** Follows no link: root may run the server in the folder of another account. */
function openServerLog(path: string): number {
  return fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW, 0o600);
}

/** The cluster gets its name only when initdb has finished and flushed it, so that a kill leaves none or a whole one. */
async function ensureCluster(start: ClusterStart): Promise<void> {
  const { cluster } = start.layout;
  const { owner } = start.plan;
  if (!hasHadCluster(start.layout)) await createCluster(start);
  refuseOtherVersion(start.layout);
  await endRemains(cluster);
  const { uid } = fs.statSync(cluster);
  if (owner !== undefined && uid !== owner.uid) handOver(cluster, uid, owner);
  await secureCluster(start);
}

async function createCluster(start: ClusterStart): Promise<void> {
  const { unfinishedCluster: folder, cluster } = start.layout;
  const { owner } = start.plan;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { mode: 0o700 });
  if (owner !== undefined) fs.chownSync(folder, owner.uid, owner.gid);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = (data: string) => ['-D', data, '-U', superuser, '--auth=reject', '--no-instructions', ...locale];
  try {
    await runProgram(start, { name: 'initdb', folder, args });
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  fs.renameSync(folder, cluster);
}

/** Of the data format of the packaged PostgreSQL. */
const CLUSTER_VERSION = '18';

function refuseOtherVersion({ root, cluster }: DataLayout): void {
  const file = join(cluster, 'PG_VERSION');
  const found = unlessGone(() => fs.readFileSync(file, 'utf8').trim());
  if (found === CLUSTER_VERSION) return;
  if (found === undefined) {
    throw new EmbeddedDatabaseRefused(
      `${root} has had a database, and ${file} is missing: put the whole folder ${cluster} back (a disk that is not mounted, a copy that is not complete), or restore a backup into a new folder`,
    );
  }
  throw new EmbeddedDatabaseRefused(
    `${cluster} holds data of PostgreSQL ${found} and this program reads version ${CLUSTER_VERSION}: set CIVIC_DATA_DIR to another folder, or use the release that wrote it`,
  );
}

/** Follows no link of the former owner, and changes the top folder last, so that a change that was cut short is repeated. */
function handOver(cluster: string, from: number, to: Owner): void {
  const account = `${to.uid}:${to.gid}`;
  // The chown of GNU compares the owner of each file; beside another one, `find` does.
  const [program = '', ...args] = runs(['chown', '--version'])
    ? ['chown', '--recursive', '--no-dereference', `--from=${from}`, account, cluster]
    : ['find', cluster, '-depth', '-user', String(from), '-execdir', 'chown', '-h', account, '{}', '+'];
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (status === 0) return;
  throw new EmbeddedDatabaseRefused(
    `the owner of ${cluster} cannot be changed to user ${to.uid}: ${error?.message ?? stderr.trim().split('\n')[0]}`,
  );
}
