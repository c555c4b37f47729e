import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { type DataLayout, hasHadCluster } from './data-directory.ts';
import type { Owner } from './launch-plan.ts';
import { secureCluster } from './password.ts';
import { EmbeddedDatabaseRefused, unlessGone } from './refusal.ts';
import { type ClusterStart, runProgram } from './run-program.ts';
import { superuser } from './server-settings.ts';

/** Creates or completes the cluster: version, owner and password. Every step is idempotent. */
export async function ensureCluster(start: ClusterStart): Promise<void> {
  const { cluster } = start.layout;
  const { owner } = start.plan;
  if (!hasHadCluster(start.layout)) await createCluster(start);
  refuseOtherVersion(start.layout);
  const { uid } = fs.statSync(cluster);
  if (owner !== undefined && uid !== owner.uid) handOver(cluster, uid, owner);
  await secureCluster(start);
}

/**
 * Creates the cluster under a temporary name and renames it when it is flushed, so that a kill never leaves a partial
 * one.
 */
async function createCluster(start: ClusterStart): Promise<void> {
  const { unfinishedCluster: folder, cluster } = start.layout;
  const { owner } = start.plan;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { mode: 0o700 });
  if (owner !== undefined) fs.chownSync(folder, owner.uid, owner.gid);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = (data: string) => ['-D', data, '-U', superuser, '--auth=reject', '--no-instructions', ...locale];
  try {
    await runProgram(start, { name: 'initdb', folder, args });
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  fs.renameSync(folder, cluster);
}

/** Version of the packaged PostgreSQL, as written in `PG_VERSION`. */
const CLUSTER_VERSION = '18';

function refuseOtherVersion({ root, cluster }: DataLayout): void {
  const file = join(cluster, 'PG_VERSION');
  const version = unlessGone(() => fs.readFileSync(file, 'utf8').trim());
  if (version === CLUSTER_VERSION) return;
  if (version === undefined) {
    throw new EmbeddedDatabaseRefused(
      `${root} has had a database, and ${file} is missing: put the whole folder ${cluster} back (a disk that is not mounted, a copy that is not complete), or restore a backup into a new folder`,
    );
  }
  throw new EmbeddedDatabaseRefused(
    `${cluster} contains data of PostgreSQL ${version} and this program reads version ${CLUSTER_VERSION}: set CIVIC_DATA_DIR to another folder, or use the release that wrote it`,
  );
}

/**
 * Changes the owner of every file of the former owner without following links. Changes the top folder last, so that the
 * next start repeats an interrupted change.
 */
function handOver(cluster: string, from: number, to: Owner): void {
  const args = ['--recursive', '--no-dereference', `--from=${from}`, `${to.uid}:${to.gid}`, cluster];
  const { status, stderr, error } = spawnSync('chown', args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (status === 0) return;
  throw new EmbeddedDatabaseRefused(
    `the owner of ${cluster} cannot be changed to user ${to.uid}: ${error?.message ?? stderr.trim().split('\n')[0]}`,
  );
}
