import * as fs from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Logger } from '../../domain/ports/logger.ts';
import { claimDataDirectory, type DataLayout } from './data-directory.ts';
import { readPassword } from './password.ts';
import { NOBODY, NOBODY_WARNING } from './launch-plan.ts';
import { findRunDirectory, type RunDirectory, takeLock } from './run-directory.ts';
import { EmbeddedDatabaseRefused, refusalOf, systemErrorCode, unlessGone } from './refusal.ts';
import { endOrphan } from './server-processes.ts';
import { serverUrl, socketPort } from './server-settings.ts';
import { limitServerLog, startServer } from './start-server.ts';

interface AttachOptions {
  readonly dataDir: string;
  /** A second service on one folder is refused, a second command is not. A reader makes no database. */
  readonly role: 'service' | 'command' | 'reader';
  /** Milliseconds within which a server must be ready. */
  readonly startTimeoutMs: number;
  /** Warns when the server has ended and when it runs again. */
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

export interface AttachedDatabase {
  /** Contains the password, and is valid for the next server too. */
  readonly url: string;
  /** Resolves when the server has stopped too, if it has no other users. Close the connections first. */
  leave(): Promise<void>;
}

/** Milliseconds between two looks at a server that starts or stops, and between the lines of a user, which show the end of the server. */
const [LOOK_MS, LINE_MS, AGAIN_MS] = [25, 500, 1_000];
/** Milliseconds for a killed service's lock to be free, for an orphaned server to end by itself, and for a shutdown. */
const [FREE_MS, ORPHAN_MS, SHUTDOWN_MS] = [150, 3_000, 70_000];
const USER_PREFIX = 'user.';

/**
 * Uses the server of a data directory, started if none runs, until `leave`; several processes may. A server that ends meanwhile breaks open
 * connections, loses no committed data, and is started again. Throws `EmbeddedDatabaseRefused`.
 */
export async function attachEmbedded({ dataDir, role, startTimeoutMs, logger }: AttachOptions): Promise<AttachedDatabase> {
  if (process.platform === 'win32')
    throw new EmbeddedDatabaseRefused('the embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL server');
  const layout = claimDataDirectory(dataDir, role === 'reader' ? role : 'maker');
  let service: number | undefined;
  let use: Use | undefined;
  try {
    if (role === 'service') service = await holdService(layout);
    use = await reach(layout, startTimeoutMs);
  } catch (error) {
    if (service !== undefined) fs.closeSync(service);
    throw refusalOf(layout.root, error);
  }
  const { url } = use;
  if (role === 'service' && fs.statSync(layout.cluster).uid === NOBODY.uid) logger.warn({}, NOBODY_WARNING);
  let hasLeft = false;
  const watch = async (): Promise<void> => {
    for (let reported = ''; ; ) {
      // The process stays while it starts a server, not for a server that runs.
      await after(use === undefined ? AGAIN_MS : LINE_MS, undefined, { ref: use === undefined });
      if (hasLeft) return;
      limitServerLog(layout);
      if (use?.isServed() === true) continue;
      if (use !== undefined) {
        logger.warn({}, 'the embedded PostgreSQL has ended; starting it again');
        use.end();
        use = undefined;
        reported = '';
      }
      try {
        const next = await reach(layout, startTimeoutMs);
        if (hasLeft) return next.end();
        use = next;
        logger.warn({}, 'the embedded PostgreSQL runs again');
      } catch (error) {
        const { message } = refusalOf(layout.root, error);
        if (message !== reported) logger.error({ error: message }, 'the embedded PostgreSQL could not be started again; trying on');
        reported = message;
      }
    }
  };
  void watch();
  return {
    url,
    leave: async () => {
      if (hasLeft) return;
      hasLeft = true;
      use?.end();
      if (service !== undefined) fs.closeSync(service);
      if (use !== undefined) await untilStopped(layout);
    },
  };
}

/** The lock of the one service, with its process number as text. */
async function holdService(layout: DataLayout): Promise<number> {
  for (const began = performance.now(); ; await after(LOOK_MS)) {
    const lock = takeLock(layout.serviceLock);
    if (lock === undefined && performance.now() - began < FREE_MS) continue;
    if (lock === undefined) {
      const pid = fs.readFileSync(layout.serviceLock, 'utf8').trim();
      throw new EmbeddedDatabaseRefused(`a service already runs on this data directory (process ${pid})`);
    }
    fs.ftruncateSync(lock);
    fs.writeSync(lock, `${process.pid}\n`);
    return lock;
  }
}

/** The running server, or one that is started here; of several starters the lock admits one. */
async function reach(layout: DataLayout, timeoutMs: number): Promise<Use> {
  const deadline = performance.now() + timeoutMs;
  let started: Awaited<ReturnType<typeof startServer>> | undefined;
  let use: Use | undefined;
  try {
    for (let waitingSince = performance.now(); performance.now() < deadline; await after(LOOK_MS)) {
      const failure = started?.failure();
      if (failure !== undefined) throw new EmbeddedDatabaseRefused(failure);
      if (use?.isServed() === false) {
        use.end();
        use = undefined;
      }
      use ??= openUse(layout);
      if (use !== undefined) {
        waitingSince = performance.now();
        if (await acceptsConnections(layout, use.run)) return use;
        continue;
      }
      const lock = takeLock(layout.lock);
      if (lock !== undefined) {
        started?.release();
        started = undefined;
        started = await startServer(layout, lock).finally(() => fs.closeSync(lock));
      } else if (performance.now() - waitingSince > ORPHAN_MS) {
        refuseOlderRelease(layout);
        endOrphan(layout.cluster);
        waitingSince = performance.now();
      }
    }
    const seconds = Math.round(timeoutMs / 1000);
    throw new EmbeddedDatabaseRefused(
      `the embedded PostgreSQL in ${layout.root} was not ready after ${seconds} s, it may still recover: see ${layout.serverLog} and start again`,
    );
  } catch (error) {
    use?.end();
    throw error;
  } finally {
    started?.release();
  }
}

/** Becomes a user of the running supervisor; undefined where none runs. */
function openUse(layout: DataLayout) {
  const run = findRunDirectory(layout);
  const password = run && readPassword(layout);
  // ENXIO: no process reads the FIFO.
  const fifo = password && unlessGone(() => fs.openSync(run.users, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK));
  if (!fifo) return undefined;
  const file = join(run.folder, `${USER_PREFIX}${process.pid}.${fifo}`);
  /** False once the server or its supervisor has ended. */
  const isServed = (): boolean => {
    try {
      fs.writeSync(fifo, '\n');
      return true;
    } catch (error) {
      // A supervisor that was suspended reads the lines later.
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

type Use = NonNullable<ReturnType<typeof openUse>>;

/** PostgreSQL writes its state into line 8 of the file, which a dead server leaves behind; its socket then refuses. */
async function acceptsConnections({ cluster }: DataLayout, { serverSockets }: RunDirectory): Promise<boolean> {
  const lines = unlessGone(() => fs.readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n'));
  if (lines?.[7]?.trim() !== 'ready') return false;
  const socket = connect(join(serverSockets, `.s.PGSQL.${socketPort}`));
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

async function untilStopped(layout: DataLayout): Promise<void> {
  for (const began = performance.now(); performance.now() - began < SHUTDOWN_MS; await after(LOOK_MS)) {
    const run = findRunDirectory(layout);
    if (run !== undefined && hasUsers(run)) return;
    const lock = takeLock(layout.lock);
    if (lock === undefined) continue;
    fs.closeSync(lock);
    return;
  }
}

/** The files of users name their processes; those of killed ones stay. */
function hasUsers({ folder }: RunDirectory): boolean {
  const names = unlessGone(() => fs.readdirSync(folder)) ?? [];
  return names.some((name) => name.startsWith(USER_PREFIX) && isAlive(Number.parseInt(name.slice(USER_PREFIX.length), 10)));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

/** Its supervisor was a process that listens on a socket. */
function refuseOlderRelease({ root, run }: DataLayout): void {
  if (!fs.existsSync(join(run, 'keeper.sock'))) return;
  throw new EmbeddedDatabaseRefused(`a process of an older release uses ${root}: stop the service and every command, then start again`);
}
