import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { giveToOwner } from './data-directory.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';

/**
 * Takes the exclusive lock of a file in the data directory and returns its descriptor, or undefined when it is held. The kernel ties the lock to
 * the open file: it lasts until every process that has or inherited the descriptor has closed it or ended.
 */
export function takeLock(path: string): number | undefined {
  const descriptor = openSync(path, 'a+', 0o600);
  const root = dirname(path);
  giveToOwner(descriptor, root);
  const { status, error } = spawnSync('flock', ['--exclusive', '--nonblock', '3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
  if (status === 0) return descriptor;
  closeSync(descriptor);
  if (status === 1) return undefined;
  throw new EmbeddedDatabaseRefused(
    `the data directory ${root} cannot be locked (${error?.message ?? `flock ended with ${status}`}): install util-linux, or set DATABASE_URL to a PostgreSQL server`,
  );
}
