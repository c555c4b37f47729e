import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type DataLayout, giveToOwner, isOurs } from './data-directory.ts';
import type { LaunchPlan } from './launch-plan.ts';
import { EmbeddedDatabaseRefused, unlessGone } from './refusal.ts';
import { spawnSync } from 'node:child_process';

/** Longest path of the folder. A socket path has at most 107 bytes (103 on macOS) and ends in `/pg/.s.PGSQL.5432`. */
const MAX_FOLDER_BYTES = 80;
const prefix = 'civic-';
const SYSTEM_TEMPORARY = '/tmp';
/** Entries of a run directory. Older releases made `keeper.sock`. */
const OF_A_SERVER = ['pg', 'users', 'closing', 'native', 'keeper.sock'];

/**
 * Creates a private run directory: below the data directory if the path is short and plain enough for a socket, else in
 * a random temporary folder that `run` links to. Reuses the folder of a dead server, so that its users find the next
 * server at the same address. The caller must have locked the data directory.
 */
export function makeRunDirectory(layout: DataLayout, { owner, fromCopy }: LaunchPlan): RunDirectory {
  const plain = !fromCopy && Buffer.byteLength(layout.run) <= MAX_FOLDER_BYTES && /^[\w./-]+$/.test(layout.run);
  const existing = findRunDirectory(layout);
  if (existing === undefined || fs.lstatSync(layout.run).isSymbolicLink() === plain) {
    removeRunDirectory(layout);
    if (plain) fs.mkdirSync(layout.run, { mode: 0o700 });
    else fs.symlinkSync(fs.mkdtempSync(join(chooseTemporary(owner !== undefined), prefix)), layout.run);
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

/**
 * Finds the run directory; undefined if there is none. Throws `EmbeddedDatabaseRefused` if another account might have
 * made it.
 */
export function findRunDirectory(layout: DataLayout): RunDirectory | undefined {
  const stat = fs.statSync(layout.run, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const trusted = isOurs(stat, layout.root) && stat.isDirectory() && (stat.mode & 0o022) === 0;
  if (!trusted)
    throw new EmbeddedDatabaseRefused(
      `${layout.run} is not a private folder of this program: remove it and start again`,
    );
  return unlessGone(() => runDirectoryAt(fs.realpathSync(layout.run)));
}

/** Returns the paths in a run directory. `users` is the FIFO that each user has open for writing. */
const runDirectoryAt = (folder: string) => ({
  folder,
  users: join(folder, 'users'),
  serverSockets: join(folder, 'pg'),
});
export type RunDirectory = Readonly<ReturnType<typeof runDirectoryAt>>;

function removeRunDirectory(layout: DataLayout): void {
  const stat = fs.lstatSync(layout.run, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() === true) {
    const target = fs.readlinkSync(layout.run);
    if ([tmpdir(), SYSTEM_TEMPORARY].includes(dirname(target)) && target.includes(`/${prefix}`)) removeOwn(target);
  }
  fs.rmSync(layout.run, { recursive: true, force: true });
}

/** Removes the folder only if it looks like a run directory, because the link might point elsewhere. */
function removeOwn(folder: string): void {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true || stat.uid !== process.getuid?.()) return;
  if (fs.readdirSync(folder).every((name) => OF_A_SERVER.includes(name) || name.startsWith('user.')))
    fs.rmSync(folder, { recursive: true, force: true });
  else fs.rmdirSync(folder);
}

/** Returns `/tmp` if TMPDIR is too long for a socket, or closed to the other account that runs the server. */
function chooseTemporary(isForOtherAccount: boolean): string {
  const folder = tmpdir();
  const isShort = Buffer.byteLength(folder) <= MAX_FOLDER_BYTES - prefix.length - 8;
  return isShort && (!isForOtherAccount || isOpenToAll(folder)) ? folder : SYSTEM_TEMPORARY;
}

function isOpenToAll(folder: string): boolean {
  if ((fs.statSync(folder).mode & 0o001) === 0) return false;
  return dirname(folder) === folder || isOpenToAll(dirname(folder));
}

/** Perl program that locks like `flock`, with the same exit statuses, for macOS. */
const FLOCK =
  'use Fcntl ":flock"; open my $file, "+<&=3" or exit 2; exit(flock($file, LOCK_EX | LOCK_NB) ? 0 : $!{EWOULDBLOCK} ? 1 : 2)';

/**
 * Locks a file and returns its descriptor, or undefined if another process has locked it. The lock lasts until every
 * process with the descriptor, own or inherited, has closed it or ended.
 */
export function takeLock(path: string): number | undefined {
  const descriptor = fs.openSync(path, 'a+', 0o600);
  const root = dirname(path);
  giveToOwner(descriptor, root);
  const run = (program: string, ...args: string[]) =>
    spawnSync(program, args, { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
  const locked = run('flock', '--exclusive', '--nonblock', '3');
  const { status, error } = locked.error === undefined ? locked : run('perl', '-e', FLOCK);
  if (status === 0) return descriptor;
  fs.closeSync(descriptor);
  if (status === 1) return undefined;
  throw new EmbeddedDatabaseRefused(
    `the data directory ${root} cannot be locked (${error?.message ?? `its program ended with ${status}`}): install flock (util-linux) or perl, or set DATABASE_URL to a PostgreSQL server`,
  );
}
