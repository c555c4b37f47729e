import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type DataLayout, giveToOwner, isOurs } from './data-directory.ts';
import type { LaunchPlan } from './launch-plan.ts';
import { EmbeddedDatabaseRefused, unlessGone } from './refusal.ts';
import { spawnSync } from 'node:child_process';

/** The path of a socket has at most 107 bytes (103 on macOS); `/pg/.s.PGSQL.5432` comes after the folder. */
const MAX_FOLDER_BYTES = 80;
const prefix = 'civic-';
/** The last is of an older release. */
const OF_A_SERVER = ['pg', 'users', 'closing', 'native', 'keeper.sock'];

/**
 * Makes a private run directory: below the data directory where the path is short and plain enough for a socket, else a random temporary
 * folder, to which `run` links. The folder of a dead server is used again, so that its users find the next server at the same address. The
 * caller holds the lock of the data directory.
 */
export function makeRunDirectory(layout: DataLayout, { owner, fromCopy }: LaunchPlan): RunDirectory {
  const plain = !fromCopy && Buffer.byteLength(layout.run) <= MAX_FOLDER_BYTES && /^[\w./-]+$/.test(layout.run);
  const found = findRunDirectory(layout);
  if (found === undefined || fs.lstatSync(layout.run).isSymbolicLink() === plain) {
    removeRunDirectory(layout);
    if (plain) fs.mkdirSync(layout.run, { mode: 0o700 });
    else fs.symlinkSync(fs.mkdtempSync(join(shortTemporary(), prefix)), layout.run);
  }
  const run = runDirectoryAt(fs.realpathSync(layout.run));
  for (const name of OF_A_SERVER) fs.rmSync(join(run.folder, name), { recursive: true, force: true });
  fs.mkdirSync(run.serverSockets, { mode: 0o700 });
  if (owner !== undefined) {
    fs.chmodSync(run.folder, 0o711);
    fs.chownSync(run.serverSockets, owner.uid, owner.gid);
  }
  return run;
}

/** Undefined where no server runs or ran. Throws `EmbeddedDatabaseRefused` when others could have made it. */
export function findRunDirectory(layout: DataLayout): RunDirectory | undefined {
  const stat = fs.statSync(layout.run, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const trusted = isOurs(stat, layout.root) && stat.isDirectory() && (stat.mode & 0o022) === 0;
  if (!trusted) throw new EmbeddedDatabaseRefused(`${layout.run} is not a private folder of this program: remove it and start again`);
  return unlessGone(() => runDirectoryAt(fs.realpathSync(layout.run)));
}

/** `users` is the FIFO that each user holds open for writing. */
const runDirectoryAt = (folder: string) => ({ folder, users: join(folder, 'users'), serverSockets: join(folder, 'pg') });
export type RunDirectory = Readonly<ReturnType<typeof runDirectoryAt>>;

function removeRunDirectory(layout: DataLayout): void {
  const stat = fs.lstatSync(layout.run, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() === true) {
    const target = fs.readlinkSync(layout.run);
    if (dirname(target) === shortTemporary() && target.includes(`/${prefix}`)) removeOwn(target);
  }
  fs.rmSync(layout.run, { recursive: true, force: true });
}

/** Removes only a folder of this shape: the link may point to a foreign one. */
function removeOwn(folder: string): void {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true || stat.uid !== process.getuid?.()) return;
  if (fs.readdirSync(folder).every((name) => OF_A_SERVER.includes(name) || name.startsWith('user.')))
    fs.rmSync(folder, { recursive: true, force: true });
  else fs.rmdirSync(folder);
}

/** TMPDIR may itself be long. */
function shortTemporary(): string {
  return Buffer.byteLength(tmpdir()) <= MAX_FOLDER_BYTES - prefix.length - 8 ? tmpdir() : '/tmp';
}

/** For machines without `flock`; the statuses are the same. */
const FLOCK = 'use Fcntl ":flock"; open my $file, "+<&=3" or exit 2; exit(flock($file, LOCK_EX | LOCK_NB) ? 0 : $!{EWOULDBLOCK} ? 1 : 2)';

/**
 * Returns the descriptor of the locked file, or undefined when it is locked. The kernel ties the lock to the open file: it lasts until
 * every process that has or inherited the descriptor has closed it or ended.
 */
export function takeLock(path: string): number | undefined {
  const descriptor = fs.openSync(path, 'a+', 0o600);
  const root = dirname(path);
  giveToOwner(descriptor, root);
  try {
    if (lockOpened(descriptor, root)) return descriptor;
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
  fs.closeSync(descriptor);
  return undefined;
}

/** Locks an open file of the data directory `root`; false where another open file has its lock. */
export function lockOpened(descriptor: number, root: string): boolean {
  const run = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
  const locked = run('flock', '--exclusive', '--nonblock', '3');
  const { status, error } = locked.error === undefined ? locked : run('perl', '-e', FLOCK);
  if (status === 0) return true;
  if (status === 1) return false;
  throw new EmbeddedDatabaseRefused(
    `the data directory ${root} cannot be locked (${error?.message ?? `its program ended with ${status}`}): install flock (util-linux) or perl, or set DATABASE_URL to a PostgreSQL server`,
  );
}
