import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { DataLayout } from './data-layout.ts';
import { folderReason } from './data-marker.ts';
import { EmbeddedDatabaseRefused, systemErrorCode } from './refusal.ts';
import { findRunDirectory } from './run-directory.ts';

/** A connection to the keeper of a data directory, or undefined when none listens. */
export async function connectToKeeper(layout: DataLayout): Promise<Socket | undefined> {
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
