import * as fs from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import type { Logger } from '../../domain/ports/logger.ts';
import { claimDataDirectory, type DataLayout } from './data-directory.ts';
import { NOBODY, NOBODY_WARNING } from './launch-plan.ts';
import { EmbeddedDatabaseRefused, refusalOf } from './refusal.ts';
import { CHECK_MS, reachServer, type ServerUse, untilStopped } from './reach-server.ts';
import { takeLock } from './run-directory.ts';
import { limitServerLog } from './server-log.ts';

interface AttachOptions {
  readonly dataDir: string;
  /** A folder can have one service and any number of commands. A reader creates no database. */
  readonly role: 'service' | 'command' | 'reader';
  /** Milliseconds within which the server must be ready. */
  readonly startTimeoutMs: number;
  /** Receives a warning when the server ends and when it runs again. */
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

export interface AttachedDatabase {
  /** Contains the password. Remains valid after a restart of the server. */
  readonly url: string;
  /** Stops using the server, and waits until it has stopped unless it has other users. Close the connections first. */
  leave(): Promise<void>;
}

/** Milliseconds between the lines that a user writes to the supervisor, and between attempts to restart the server. */
const [LINE_MS, RETRY_MS] = [500, 1_000];
/** Milliseconds until the lock of a killed service is released. */
const FREE_MS = 150;

/**
 * Uses the server of a data directory until `leave`, and starts it if none runs. Several processes can share a server.
 * If the server ends, it is restarted: open connections break, committed data remains. Throws
 * `EmbeddedDatabaseRefused`.
 */
export async function attachEmbedded(options: AttachOptions): Promise<AttachedDatabase> {
  const { dataDir, role, startTimeoutMs, logger } = options;
  if (process.platform === 'win32')
    throw new EmbeddedDatabaseRefused(
      'the embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL server',
    );
  const layout = claimDataDirectory(dataDir, role === 'reader' ? role : 'maker');
  let serviceLock: number | undefined;
  let use: ServerUse;
  try {
    if (role === 'service') serviceLock = await lockService(layout);
    use = await reachServer(layout, startTimeoutMs);
  } catch (error) {
    if (serviceLock !== undefined) fs.closeSync(serviceLock);
    throw refusalOf(layout.root, error);
  }
  if (role === 'service' && fs.statSync(layout.cluster).uid === NOBODY.uid) logger.warn({}, NOBODY_WARNING);
  const { stop } = restartWhenEnded(layout, use, options);
  let hasLeft = false;
  return {
    url: use.url,
    leave: async () => {
      if (hasLeft) return;
      hasLeft = true;
      stop();
      if (serviceLock !== undefined) fs.closeSync(serviceLock);
      await untilStopped(layout);
    },
  };
}

/** Locks the data directory for this service. The lock file contains the process id as text. */
async function lockService(layout: DataLayout): Promise<number> {
  for (const began = performance.now(); ; await after(CHECK_MS)) {
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

/** Restarts the server whenever it ends, until `stop`. */
function restartWhenEnded(layout: DataLayout, first: ServerUse, { role, startTimeoutMs, logger }: AttachOptions) {
  let use: ServerUse | undefined = first;
  let isStopped = false;
  let reported = '';
  const restart = async (): Promise<void> => {
    try {
      const next = await reachServer(layout, startTimeoutMs);
      if (isStopped) return next.end();
      use = next;
      reported = '';
      logger.warn({}, 'the embedded PostgreSQL runs again');
    } catch (error) {
      const { message } = refusalOf(layout.root, error);
      if (message !== reported)
        logger.error({ error: message }, 'the embedded PostgreSQL could not be started; retrying');
      reported = message;
    }
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      // The timer keeps the process alive only while a server must be started.
      await after(use === undefined ? RETRY_MS : LINE_MS, undefined, { ref: use === undefined });
      if (isStopped) return;
      if (role === 'service') limitServerLog(layout);
      if (use?.isServed() === true) continue;
      if (use !== undefined) logger.warn({}, 'the embedded PostgreSQL has ended; starting it again');
      use?.end();
      use = undefined;
      await restart();
      if (isStopped) return;
    }
  };
  void watch();
  return {
    stop: (): void => {
      isStopped = true;
      use?.end();
    },
  };
}
