import { getCompileCacheDir } from 'node:module';
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, fchownSync, openSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DataLayout } from './data-layout.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';

/**
 * Takes the exclusive lock of a data directory and gives its descriptor, or undefined when it is held. The kernel ties the lock to the
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

/** A keeper that this process has started. */
export interface StartedKeeper {
  /** `refused` carries the line that it said last; `gone` is a keeper that was killed or had nothing to do any more. */
  readonly state: 'running' | 'gone' | { readonly refused: string };
  /** Stops listening to it; it goes on by itself. */
  release(): void;
}

/**
 * Starts the keeper of a data directory, or gives undefined when one runs already or its server has not ended yet. The lock is taken here and
 * inherited, so of several starters exactly one starts a keeper.
 */
export function startKeeper(layout: DataLayout): StartedKeeper | undefined {
  const lock = takeKeeperLock(layout);
  if (lock === undefined) return undefined;
  const keeper = spawn(process.execPath, [fileURLToPath(new URL('keeper-main.ts', import.meta.url)), layout.root], {
    detached: true,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe', lock],
    // The rest of the environment may hold secrets, and options meant for the caller's Node. Compiled code is kept where the caller keeps its own.
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: process.env['TMPDIR'],
      NODE_COMPILE_CACHE: getCompileCacheDir(),
    },
  });
  closeSync(lock);
  let said = '';
  let state: StartedKeeper['state'] = 'running';
  keeper.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said = (said + chunk).slice(-4_000)));
  keeper.once(
    'close',
    (code) =>
      (state = code === null || code === 0 ? 'gone' : { refused: said.trim().split('\n').at(-1) || `its keeper ended with ${code}` }),
  );
  keeper.once('error', (error) => (state = { refused: `the keeper of the embedded PostgreSQL does not start: ${error.message}` }));
  keeper.unref();
  return {
    get state() {
      return state;
    },
    release: () => keeper.stderr?.destroy(),
  };
}
