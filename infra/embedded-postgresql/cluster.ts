import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Owner } from './launch-plan.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';
import { type ClusterStart, runProgram } from './run-program.ts';
import { secureCluster } from './password.ts';
import { endRemains } from './server-processes.ts';
import { superuser } from './server-settings.ts';

/** The version of the data format that the packaged PostgreSQL reads. */
export const clusterVersion = '18';

/**
 * Makes the cluster when there is none, gives an existing one to the account that will run it, and returns the password that it wants. A cluster
 * appears under its name only when initdb has finished and flushed it, so a kill at any moment leaves either none or a whole one.
 */
export async function ensureCluster(start: ClusterStart): Promise<string> {
  const { cluster } = start.layout;
  const { owner } = start.plan;
  if (!existsSync(cluster)) await createCluster(start);
  refuseOtherVersion(cluster);
  await endRemains(cluster);
  const { uid } = statSync(cluster);
  if (owner !== undefined && uid !== owner.uid) handOver(cluster, uid, owner);
  return secureCluster(start);
}

async function createCluster({ layout, plan, lock }: ClusterStart): Promise<void> {
  const folder = layout.unfinishedCluster;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  if (plan.owner !== undefined) chownSync(folder, plan.owner.uid, plan.owner.gid);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  try {
    await runProgram({
      layout,
      plan,
      lock,
      name: 'initdb',
      folder,
      arguments: (data) => ['-D', data, '-U', superuser, '--auth=reject', '--no-instructions', ...locale],
      input: '',
    });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  renameSync(folder, layout.cluster);
}

function refuseOtherVersion(cluster: string): void {
  const file = join(cluster, 'PG_VERSION');
  const found = existsSync(file) ? readFileSync(file, 'utf8').trim() : 'unknown';
  if (found === clusterVersion) return;
  throw new EmbeddedDatabaseRefused(
    `${cluster} holds data of PostgreSQL ${found} and this program reads version ${clusterVersion}: set CIVIC_DATA_DIR to another folder, or use the release that wrote it`,
  );
}

/**
 * Gives a cluster to the account that will run it. `chown` follows no link that its former owner could have put there, and changes the top folder
 * last: a change that was cut short is then seen and done again.
 */
function handOver(cluster: string, from: number, to: Owner): void {
  const args = ['--recursive', '--no-dereference', `--from=${from}`, `${to.uid}:${to.gid}`, cluster];
  const { status, stderr, error } = spawnSync('chown', args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (status === 0) return;
  throw new EmbeddedDatabaseRefused(
    `the owner of ${cluster} cannot be changed to user ${to.uid}: ${error?.message ?? stderr.trim().split('\n')[0]}`,
  );
}
