import { spawnSync } from 'node:child_process';
import { closeSync, fchownSync, openSync, statSync } from 'node:fs';
import type { DataLayout } from './data-layout.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';

/**
 * Takes the exclusive lock of a data directory and gives its descriptor, or undefined when somebody holds it. The kernel ties the lock to the
 * open file: it lasts until every process that inherited the descriptor has ended, however it ended.
 */
export function takeKeeperLock(layout: DataLayout): number | undefined {
  const descriptor = openSync(layout.lock, 'a', 0o600);
  if (process.getuid?.() === 0) {
    const owner = statSync(layout.root);
    fchownSync(descriptor, owner.uid, owner.gid);
  }
  const { status, error } = spawnSync('flock', ['--exclusive', '--nonblock', '3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
  if (status === 0) return descriptor;
  closeSync(descriptor);
  if (status === 1) return undefined;
  throw new EmbeddedDatabaseRefused(
    `the data directory ${layout.root} cannot be locked (${error?.message ?? `flock ended with ${status}`}): install util-linux, or set DATABASE_URL to a PostgreSQL server`,
  );
}
