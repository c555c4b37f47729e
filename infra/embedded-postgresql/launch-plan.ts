import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { program } from './binaries.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';

/** Who runs PostgreSQL's programs, from where, and what stands in front of their command line. */
export interface LaunchPlan {
  readonly way: 'direct' | 'as-owner' | 'own-namespace';
  readonly native: string;
  /** Whose the data must be, when it is not simply ours. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  readonly prefix: readonly string[];
}

/** PostgreSQL refuses to run as root; this user exists everywhere and owns nothing. */
const nobody = { uid: 65534, gid: 65534 };

/** The kernel sends SIGINT (fast shutdown) to the server when the keeper dies, so that it can never outlive it. */
const endWithParent = ['setpriv', '--pdeathsig', 'INT'];
const inNamespace = ['unshare', '--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`];

/** The first way that works on this machine for data below `folder`; throws `EmbeddedDatabaseRefused` when none does. */
export function planLaunch(native: string, folder: string, cluster: string): LaunchPlan {
  if (process.getuid?.() !== 0) return planAsUser(native);
  const owner = ownerOf(cluster);
  const asOwner = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  if (runs([...asOwner, program(native, 'postgres'), '--version']) && runs([...asOwner, 'test', '-x', folder])) {
    return { way: 'as-owner', native, owner, prefix: [...asOwner, '--pdeathsig', 'INT'] };
  }
  if (runs([...inNamespace, program(native, 'postgres'), '--version'])) return planInNamespace(native, { uid: 0, gid: 0 });
  throw new EmbeddedDatabaseRefused(
    `PostgreSQL does not run as root and no other user can reach ${folder} and ${native}: set CIVIC_DATA_DIR to a folder below /var/lib with the checkout below /opt, or start as an ordinary user`,
  );
}

function planAsUser(native: string): LaunchPlan {
  if (runs([...endWithParent, program(native, 'postgres'), '--version'])) {
    if (hasName()) return { way: 'direct', native, owner: undefined, prefix: endWithParent };
    return planInNamespace(native, undefined);
  }
  throw new EmbeddedDatabaseRefused(
    `the embedded PostgreSQL cannot run here (it needs glibc, setpriv and flock of util-linux): set DATABASE_URL to a PostgreSQL server`,
  );
}

function planInNamespace(native: string, owner: LaunchPlan['owner']): LaunchPlan {
  return { way: 'own-namespace', native, owner, prefix: [...inNamespace, ...endWithParent] };
}

/** Existing data keeps its owner, so that root and an ordinary user can take turns on one folder. */
function ownerOf(cluster: string): { uid: number; gid: number } {
  const stat = statSync(cluster, { throwIfNoEntry: false });
  return stat === undefined || stat.uid === 0 ? nobody : { uid: stat.uid, gid: stat.gid };
}

/** initdb refuses a user without an entry in the list of users, as containers with a random user id have it. */
function hasName(): boolean {
  return runs(['id', '-un']);
}

function runs(command: readonly string[]): boolean {
  const [file, ...args] = command;
  return file !== undefined && spawnSync(file, args, { stdio: 'ignore', cwd: '/' }).status === 0;
}
