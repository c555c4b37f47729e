import { type Socket, connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { DataLayout } from './data-layout.ts';
import { claimDataDirectory, folderReason } from './data-marker.ts';
import { type UserRole, onKeeperMessage, send } from './keeper-messages.ts';
import { type StartedKeeper, startKeeper } from './keeper-start.ts';
import { leaveKeeper } from './leave.ts';
import { EmbeddedDatabaseRefused, systemErrorCode } from './refusal.ts';
import { endOrphan } from './server-processes.ts';
import { findRunDirectory } from './run-directory.ts';

/** A connection to the keeper of a data directory, or undefined when none listens. */
async function connectToKeeper(layout: DataLayout): Promise<Socket | undefined> {
  const run = findRunDirectory(layout);
  if (run === undefined) return undefined;
  return new Promise((resolve, reject) => {
    const socket = connect(run.keeperSocket);
    socket.once('connect', () => {
      socket.removeAllListeners('error').on('error', () => socket.destroy());
      resolve(socket);
    });
    socket.once('error', (error) => {
      const refused = ['EACCES', 'EPERM'].includes(systemErrorCode(error));
      if (refused) reject(new EmbeddedDatabaseRefused(folderReason(layout.root, error)));
      else resolve(undefined);
    });
  });
}

export interface AttachOptions {
  /** The folder of the data; made when missing. */
  readonly dataDir: string;
  /** A second service on one folder is refused, a second command is not. */
  readonly role: UserRole;
  /** Milliseconds until a server that does not get ready is given up. */
  readonly startTimeoutMs: number;
  /** There is no server any more and none will come by itself: attach again. Called at most once, never after `leave`. */
  readonly onLost: (reason: string) => void;
  /** The server had died and runs again: open connections are broken, committed data is whole. */
  readonly onRestarted: (reason: string) => void;
}

export interface AttachedDatabase {
  /** A connection string that pg and slonik accept; it contains the password. */
  readonly url: string;
  /** What the operator of a service should know about the account that runs the server. */
  readonly warning?: string | undefined;
  /** Ends the use; resolves when the server has stopped too, if it has no other users. Close the connections first. */
  leave(): Promise<void>;
}

const patience = { look: 25, orphan: 3_000 };

/**
 * Uses the embedded PostgreSQL of a data directory: the running one, or one that is started for it; several may call it at once. Throws
 * `EmbeddedDatabaseRefused` with one line for the operator (the operator's contract, "Commands").
 */
export async function attachEmbedded(options: AttachOptions): Promise<AttachedDatabase> {
  if (process.platform !== 'linux') {
    throw new EmbeddedDatabaseRefused(
      `the embedded PostgreSQL runs on Linux only, not on ${process.platform}: set DATABASE_URL to a PostgreSQL server`,
    );
  }
  const layout = claimDataDirectory(options.dataDir);
  const started = performance.now();
  const remaining = (): number => options.startTimeoutMs - (performance.now() - started);
  let keeper: StartedKeeper | undefined;
  try {
    for (let blocked = performance.now(); remaining() > 0; ) {
      const socket = await connectToKeeper(layout);
      if (socket !== undefined) {
        const attached = await introduce(socket, options, remaining());
        if (attached !== undefined) return attached;
        blocked = performance.now();
      }
      if (typeof keeper?.state === 'object') throw new EmbeddedDatabaseRefused(keeper.state.refused);
      if (keeper?.state === 'gone') keeper = undefined;
      keeper ??= startKeeper(layout);
      if (keeper === undefined && performance.now() - blocked > patience.orphan) {
        endOrphan(layout.cluster);
        blocked = performance.now();
      }
      await after(patience.look);
    }
  } catch (error) {
    throw error instanceof EmbeddedDatabaseRefused ? error : new EmbeddedDatabaseRefused(folderReason(layout.root, error));
  } finally {
    keeper?.release();
  }
  throw new EmbeddedDatabaseRefused(notReady(layout, options.startTimeoutMs));
}

/** Resolves with undefined when the keeper went away before it had an answer: it was about to stop, and another one is needed. */
async function introduce(socket: Socket, options: AttachOptions, timeout: number): Promise<AttachedDatabase | undefined> {
  return new Promise((resolve, reject) => {
    let phase: 'waiting' | 'attached' | 'over' = 'waiting';
    const fail = (reason: string): void => {
      if (phase === 'waiting') reject(new EmbeddedDatabaseRefused(reason));
      else if (phase === 'attached') options.onLost(reason);
      phase = 'over';
      socket.destroy();
    };
    const timer = setTimeout(() => {
      resolve(undefined);
      phase = 'over';
      socket.destroy();
    }, timeout);
    onKeeperMessage(socket, (message) => {
      switch (message.type) {
        case 'ready': {
          if (phase !== 'waiting') return;
          phase = 'attached';
          clearTimeout(timer);
          socket.unref();
          const leave = async (): Promise<void> => {
            if (phase !== 'attached') return;
            phase = 'over';
            await leaveKeeper(socket, message.keeper);
          };
          resolve({ url: message.url, leave, warning: message.warning });
          return;
        }
        case 'refused':
        case 'lost':
          return fail(message.reason);
        case 'restarted':
          if (phase === 'attached') options.onRestarted(message.reason);
          return;
        case 'goodbye':
      }
    });
    socket.once('close', () => {
      clearTimeout(timer);
      if (phase === 'waiting') resolve(undefined);
      else fail('the keeper of the embedded PostgreSQL has died');
    });
    send(socket, { type: 'hello', role: options.role, pid: process.pid });
  });
}

function notReady(layout: DataLayout, timeout: number): string {
  return `the embedded PostgreSQL in ${layout.root} was not ready after ${Math.round(timeout / 1000)} s, it may still recover: see ${layout.serverLog} and start again`;
}
