import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { program } from './binaries.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';

/** A user and a group by their numbers. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Who runs PostgreSQL's programs, from where, and what stands in front of their command line. */
export interface LaunchPlan {
  /** `from-copy`: the owner can reach neither the programs nor the path of the data, see `copied-programs.ts`. */
  readonly way: 'direct' | 'as-owner' | 'own-namespace' | 'from-copy';
  readonly native: string;
  /** Whose the data must be, when it is not simply ours. */
  readonly owner: Owner | undefined;
  readonly prefix: readonly string[];
}

/** PostgreSQL refuses to run as root; this user exists everywhere and owns nothing. */
const nobody: Owner = { uid: 65534, gid: 65534 };

/** The kernel sends SIGINT (fast shutdown) to the server when the keeper dies, so that it can never outlive it. */
const endWithParent = ['setpriv', '--pdeathsig', 'INT'];
const inNamespace = ['unshare', '--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`];

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
  const owner = ownerOf(cluster, folder);
  const become = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const prefix = [...become, '--pdeathsig', 'INT'];
  if (runs([...become, ...version]) && runs([...become, 'test', '-x', folder])) return { way: 'as-owner', native, owner, prefix };
  if (owner.uid === nobody.uid && runs([...inNamespace, ...version])) return planInNamespace(native, { uid: 0, gid: 0 });
  return { way: 'from-copy', native, owner, prefix };
}

function planInNamespace(native: string, owner: Owner | undefined): LaunchPlan {
  return { way: 'own-namespace', native, owner, prefix: [...inNamespace, ...endWithParent] };
}

/** Existing data keeps its owner and a user's folder stays the user's, so that root and an ordinary user can take turns on one folder. */
function ownerOf(cluster: string, folder: string): Owner {
  const made = statSync(cluster, { throwIfNoEntry: false });
  if (made !== undefined) return made.uid === 0 ? nobody : { uid: made.uid, gid: made.gid };
  const { uid, gid } = statSync(folder);
  return uid === 0 || !runs(['id', '-un', String(uid)]) ? nobody : { uid, gid };
}

/** Whether a command line ends well. */
export function runs(command: readonly string[]): boolean {
  const [file, ...args] = command;
  return file !== undefined && spawnSync(file, args, { stdio: 'ignore', cwd: '/' }).status === 0;
}
