import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Programs of others that do a part of the same work. Each has its own folder, because their packages conflict with
 * ours.
 */
type Peer = 'emmett' | 'pouchdb' | 'postgraphile';

/** A program of the peer. Installs its packages at the first use; throws where that fails. */
export function peerProgram(peer: Peer, file: string, say: (text: string) => void): URL {
  const folder = new URL(`../peers/${peer}/`, import.meta.url);
  if (!existsSync(new URL('node_modules', folder))) {
    say(`installing ${peer} into ${fileURLToPath(folder)}`);
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
  return new URL(file, folder);
}
