import { spawnSync } from 'node:child_process';
import { cpSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { program } from './binaries.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';

/** A user and a group by their numbers. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The account, the working directory and the command prefix of PostgreSQL's programs. */
export interface LaunchPlan {
  /** `from-copy`: the owner can reach neither the programs nor the path of the data, see `withCopiedPrograms`. */
  readonly way: 'direct' | 'as-owner' | 'own-namespace' | 'from-copy';
  readonly native: string;
  /** The owner of the data, where it is another account. */
  readonly owner: Owner | undefined;
  readonly prefix: readonly string[];
}

/** PostgreSQL refuses to run as root; this account exists everywhere. */
export const NOBODY: Owner = { uid: 65534, gid: 65534 };

/** One line for the operator of a service whose server runs as an account that other programs share. */
export const NOBODY_WARNING =
  'the embedded PostgreSQL runs as nobody, an account that other programs may share: add an account postgres, start as an ordinary user, or set DATABASE_URL';

/** The kernel sends SIGINT (fast shutdown) to the server when its supervisor dies, so that it can never outlive it. */
const endWithParent = ['setpriv', '--pdeathsig', 'INT'];
const inNamespace = ['unshare', '--user', `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`];

/** The first way that works on this machine for the data of a cluster below `folder`; throws `EmbeddedDatabaseRefused` when none does. */
export function planLaunch(native: string, folder: string, cluster: string): LaunchPlan {
  const version = [program(native, 'postgres'), '--version'];
  if (process.getuid?.() !== 0) {
    // initdb refuses a user without an entry in the list of users, as containers with a random user id have it.
    const named = runs(['id', '-un']);
    if (named && runs([...endWithParent, ...version])) return { way: 'direct', native, owner: undefined, prefix: endWithParent };
    if (!named && runs([...inNamespace, ...version])) return planInNamespace(native, undefined);
    throw new EmbeddedDatabaseRefused(
      'the embedded PostgreSQL cannot run here (it needs glibc, util-linux and a user with a name): set DATABASE_URL to a PostgreSQL server',
    );
  }
  const settled = ownerOf(cluster, folder);
  const plans = (settled === undefined ? [accountOf('postgres'), NOBODY] : [settled])
    .filter((owner) => owner !== undefined)
    .map((owner) => planAs(native, owner));
  const reaching = plans.find(({ prefix }) => runs([...prefix, ...version]) && runs([...prefix, 'test', '-x', folder]));
  if (reaching !== undefined) return reaching;
  if (settled === undefined && runs([...inNamespace, ...version])) return planInNamespace(native, { uid: 0, gid: 0 });
  return { ...(plans[0] ?? planAs(native, NOBODY)), way: 'from-copy' };
}

function planAs(native: string, owner: Owner): LaunchPlan {
  const become = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  // PostgreSQL refuses to set the password as a user without a name.
  const named = isNamed(owner.uid) ? become : [...become, ...inNamespace];
  return { way: 'as-owner', native, owner, prefix: [...named, ...endWithParent] };
}

function planInNamespace(native: string, owner: Owner | undefined): LaunchPlan {
  return { way: 'own-namespace', native, owner, prefix: [...inNamespace, ...endWithParent] };
}

/**
 * Existing data keeps its owner and a user's folder stays the user's, so that root and an ordinary user can take turns on one folder. Undefined
 * where any account will do: for data of root, and for data that root once ran as `nobody`.
 */
function ownerOf(cluster: string, folder: string): Owner | undefined {
  const made = statSync(cluster, { throwIfNoEntry: false });
  const above = statSync(folder);
  const belongs = made === undefined ? isNamed(above.uid) : made.uid !== NOBODY.uid || above.uid === NOBODY.uid;
  const { uid, gid } = made ?? above;
  return belongs && uid !== 0 ? { uid, gid } : undefined;
}

function accountOf(name: string): Owner | undefined {
  const [uid, gid] = ['-u', '-g'].map((option) => Number.parseInt(spawnSync('id', [option, name], { encoding: 'utf8' }).stdout, 10));
  return uid && gid ? { uid, gid } : undefined;
}

function isNamed(uid: number): boolean {
  return runs(['id', '-un', String(uid)]);
}

/** Whether a command line ends well. */
function runs(command: readonly string[]): boolean {
  const [file, ...args] = command;
  return file !== undefined && spawnSync(file, args, { stdio: 'ignore', cwd: '/' }).status === 0;
}

/**
 * For root in a folder that no other user may pass through, on a machine that forbids user namespaces (most containers): copies the programs
 * (60 MB, tens of milliseconds) to where their user can run them. Throws `EmbeddedDatabaseRefused` when that does not work either.
 */
export function withCopiedPrograms(plan: LaunchPlan, folder: string): LaunchPlan {
  const native = join(folder, 'native');
  cpSync(plan.native, native, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', native]);
  if (runs([...plan.prefix, program(native, 'postgres'), '--version'])) return { ...plan, native };
  throw new EmbeddedDatabaseRefused(
    `PostgreSQL does not run as root and user ${plan.owner?.uid ?? '?'} can reach neither ${plan.native} nor a copy in ${folder}: start as an ordinary user, or set DATABASE_URL`,
  );
}

/** How a program gets the place of its data: a user who may not pass through the folders above is put there by root, and stays. */
export function dataArgument(plan: LaunchPlan, folder: string): { readonly cwd: string; readonly argument: string } {
  return plan.way === 'from-copy' ? { cwd: folder, argument: '/proc/self/cwd' } : { cwd: '/', argument: folder };
}
