import * as fs from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { DataLayout } from './data-directory.ts';
import { EmbeddedDatabaseRefused, systemErrorCode, unlessGone } from './refusal.ts';
import { findRunDirectory, type RunDirectory, takeLock } from './run-directory.ts';
import { readPassword } from './password.ts';
import { serverUrl, socketPort } from './server-settings.ts';
import { startServer } from './start-server.ts';

/** Milliseconds between checks of a server that starts or stops. */
export const CHECK_MS = 25;
/**
 * Consecutive checks without a supervisor after which a server with the lock is stopped: about a second, or more under
 * load.
 */
const ORPHAN_CHECKS = 30;
/** Longest wait for the shutdown of a server, in milliseconds. */
const SHUTDOWN_MS = 70_000;
const USER_PREFIX = 'user.';

/** Uses the running server or starts one. The lock lets only one process start it. Throws `EmbeddedDatabaseRefused`. */
export async function reachServer(layout: DataLayout, timeoutMs: number): Promise<ServerUse> {
  const deadline = performance.now() + timeoutMs;
  let started: Awaited<ReturnType<typeof startServer>> | undefined;
  let use: ServerUse | undefined;
  try {
    for (const orphan = orphanCheck(layout); performance.now() < deadline; await after(CHECK_MS)) {
      const failure = started?.failure();
      if (failure !== undefined) throw new EmbeddedDatabaseRefused(failure);
      if (use?.isServed() === false) {
        use.end();
        use = undefined;
      }
      use ??= openUse(layout);
      if (use !== undefined) {
        orphan.reset();
        if (await acceptsConnections(layout, use.run)) return use;
        continue;
      }
      const lock = takeLock(layout.lock);
      if (lock !== undefined) {
        started?.release();
        started = undefined;
        started = await startServer(layout, lock).finally(() => fs.closeSync(lock));
        orphan.reset();
      } else orphan.check();
    }
    const seconds = Math.round(timeoutMs / 1000);
    throw new EmbeddedDatabaseRefused(
      `the embedded PostgreSQL in ${layout.root} was not ready after ${seconds} s, it might still recover: see ${layout.serverLog} and start again`,
    );
  } catch (error) {
    use?.end();
    throw error;
  } finally {
    started?.release();
  }
}

/** Registers as a user of the running supervisor. Returns undefined if none runs. */
function openUse(layout: DataLayout) {
  const run = findRunDirectory(layout);
  const password = run && readPassword(layout);
  // ENXIO means that no process reads the FIFO.
  const fifo = password && unlessGone(() => fs.openSync(run.users, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK));
  if (!fifo) return undefined;
  const file = join(run.folder, `${USER_PREFIX}${process.pid}.${fifo}`);
  /** Returns false once the server or its supervisor has ended. */
  const isServed = (): boolean => {
    try {
      fs.writeSync(fifo, '\n');
      return true;
    } catch (error) {
      // EAGAIN: the FIFO is full because the supervisor is suspended. It will read the lines later.
      return systemErrorCode(error) === 'EAGAIN';
    }
  };
  isServed();
  unlessGone(() => fs.writeFileSync(file, ''));
  return {
    run,
    url: serverUrl(run.serverSockets, password),
    isServed,
    end: () => {
      fs.rmSync(file, { force: true });
      fs.closeSync(fifo);
    },
  };
}

export type ServerUse = NonNullable<ReturnType<typeof openUse>>;

function readPidFile({ cluster }: DataLayout, line: number): string | undefined {
  const text = unlessGone(() => fs.readFileSync(join(cluster, 'postmaster.pid'), 'utf8'));
  return text
    ?.split('\n')
    .at(line - 1)
    ?.trim();
}

/**
 * Checks line 8 of the pid file, where PostgreSQL writes its state, and the socket, because a dead server leaves the
 * file.
 */
async function acceptsConnections(layout: DataLayout, { serverSockets }: RunDirectory): Promise<boolean> {
  if (readPidFile(layout, 8) !== 'ready') return false;
  const socket = connect(join(serverSockets, `.s.PGSQL.${socketPort}`));
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

/**
 * Creates a check that stops a server which has the lock but no supervisor. Only consecutive checks that find the same
 * server count, because another process might be starting one. A negative process id means PostgreSQL in single-user
 * mode.
 */
function orphanCheck(layout: DataLayout) {
  let server = 0;
  let checks = 0;
  return {
    check(): void {
      const pid = Number(readPidFile(layout, 1) ?? 0);
      checks = pid === server ? checks + 1 : 0;
      server = pid;
      if (checks < ORPHAN_CHECKS) return;
      refuseOlderRelease(layout);
      if (server > 0) unlessGone(() => process.kill(server, 'SIGINT'));
      checks = 0;
    },
    reset(): void {
      checks = 0;
    },
  };
}

/** Waits until the server has stopped, unless it has other users. Stops a server that has lost its supervisor. */
export async function untilStopped(layout: DataLayout): Promise<void> {
  const orphan = orphanCheck(layout);
  for (const began = performance.now(); performance.now() - began < SHUTDOWN_MS; await after(CHECK_MS)) {
    const run = findRunDirectory(layout);
    if (run !== undefined && hasUsers(run)) return;
    const lock = takeLock(layout.lock);
    if (lock !== undefined) return fs.closeSync(lock);
    orphan.check();
  }
}

/** True if a process that registered as a user is alive. The files of killed users remain. */
function hasUsers({ folder }: RunDirectory): boolean {
  const names = unlessGone(() => fs.readdirSync(folder)) ?? [];
  return names.some(
    (name) => name.startsWith(USER_PREFIX) && isAlive(Number.parseInt(name.slice(USER_PREFIX.length), 10)),
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

/** Refuses a supervisor of an older release, which listens on a socket. */
function refuseOlderRelease({ root, run }: DataLayout): void {
  if (!fs.existsSync(join(run, 'keeper.sock'))) return;
  throw new EmbeddedDatabaseRefused(
    `a process of an older release uses ${root}: stop the service and every command, then start again`,
  );
}
