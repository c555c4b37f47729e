import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { EmbeddedDatabaseRefused, unlessGone } from './refusal.ts';

const patience = { byItself: 1_000, killed: 10_000, look: 20 };

/** Found by their working directory, which every process of a server has. */
function serverProcesses(cluster: string): number[] {
  const folder = realpathSync(cluster);
  if (!existsSync('/proc/self/cwd')) return listedByLsof(folder);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === folder && basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('postgres');
      } catch {
        return false;
      }
    })
    .map(Number);
}

function listedByLsof(folder: string): number[] {
  const { stdout, error } = spawnSync('lsof', ['-t', '-a', '-d', 'cwd', '-c', 'postgres', '--', folder], { encoding: 'utf8' });
  if (error === undefined) return (stdout.match(/\d+/g) ?? []).map(Number);
  throw new EmbeddedDatabaseRefused(`the processes in ${folder} cannot be listed (${error.message}): install lsof, or set DATABASE_URL`);
}

/** The process in `postmaster.pid`, which may be long gone; undefined without such a file. */
function recordedServer(cluster: string): number | undefined {
  const text = unlessGone(() => readFileSync(join(cluster, 'postmaster.pid'), 'utf8'));
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

/**
 * Waits until no process of a dead server works in the cluster, and kills those that do not end: a backend that outlives its postmaster may
 * still write. The caller holds the lock of the data directory, so no server of ours is alive; one that another account started is left
 * alone, which ends in `EmbeddedDatabaseRefused`.
 */
export async function endRemains(cluster: string): Promise<void> {
  const started = performance.now();
  for (let remains = serverProcesses(cluster); remains.length > 0; remains = serverProcesses(cluster)) {
    const waited = performance.now() - started;
    if (waited > patience.killed) {
      throw new EmbeddedDatabaseRefused(
        `PostgreSQL process ${remains.join(', ')} works in ${cluster}, started by another program: stop it and start again`,
      );
    }
    const foreign = remains.includes(recordedServer(cluster) ?? 0);
    if (waited > patience.byItself && !foreign) for (const pid of remains) unlessGone(() => process.kill(pid, 'SIGKILL'));
    await after(patience.look);
  }
  // PostgreSQL would take another process with the number of a former server for a running server.
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/** For a server that was being started when its supervisor died. Call it when the lock is held and no process has listened for seconds. */
export function endOrphan(cluster: string): void {
  const server = recordedServer(cluster);
  if (server !== undefined && serverProcesses(cluster).includes(server)) process.kill(server, 'SIGINT');
}
