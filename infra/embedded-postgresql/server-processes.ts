import { readFileSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { EmbeddedDatabaseRefused, unlessGone } from './refusal.ts';

const patience = { byItself: 1_000, killed: 10_000, look: 20 };

/** The PostgreSQL processes that work in a cluster right now, found by their working directory: every one of a server has it. */
function serverProcesses(cluster: string): number[] {
  const folder = realpathSync(cluster);
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

/** The process number of the server that wrote `postmaster.pid`, or undefined without such a file. It may be long gone. */
function recordedServer(cluster: string): number | undefined {
  const text = unlessGone(() => readFileSync(join(cluster, 'postmaster.pid'), 'utf8'));
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

/**
 * Waits until no process of a dead server is left in the cluster, and kills those that do not end by themselves: a backend that outlives its
 * postmaster may still write. Removes the file with its number. Call it while holding the data directory's lock: no whole server of ours can be
 * alive then, and one that another account started by hand is left alone, which ends in `EmbeddedDatabaseRefused`.
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
  // The number of a former server may be another process's by now, which PostgreSQL would take for a running server.
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/**
 * Asks a server to stop whose supervisor is gone: the kernel's signal at its death misses a server that was just being started. Call it when
 * the lock is held and no process has listened for seconds.
 */
export function endOrphan(cluster: string): void {
  const server = recordedServer(cluster);
  if (server !== undefined && serverProcesses(cluster).includes(server)) process.kill(server, 'SIGINT');
}
