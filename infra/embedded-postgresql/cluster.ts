import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { program } from './binaries.ts';
import type { DataLayout } from './data-layout.ts';
import { dataArgument } from './copied-programs.ts';
import type { LaunchPlan, Owner } from './launch-plan.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';
import { failureReason } from './start-failure.ts';

/** The version of the data format that the packaged PostgreSQL reads. */
export const clusterVersion = '18';

/**
 * Makes the cluster when there is none, and gives an existing one to the user that will run it. A cluster appears under its name only when
 * initdb has finished and flushed it, so a kill at any moment leaves either none or a whole one. `lock` is inherited by initdb.
 */
export async function ensureCluster(layout: DataLayout, plan: LaunchPlan, lock: number): Promise<void> {
  if (!existsSync(layout.cluster)) await createCluster(layout, plan, lock);
  refuseOtherVersion(layout.cluster);
  if (plan.owner !== undefined && statSync(layout.cluster).uid !== plan.owner.uid) giveTo(layout.cluster, plan.owner);
}

async function createCluster(layout: DataLayout, plan: LaunchPlan, lock: number): Promise<void> {
  const folder = layout.unfinishedCluster;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  if (plan.owner !== undefined) chownSync(folder, plan.owner.uid, plan.owner.gid);
  const [file = '', ...prefix] = plan.prefix;
  const data = dataArgument(plan, folder);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const initdb = spawn(
    file,
    [...prefix, program(plan.native, 'initdb'), '-D', data.argument, '-U', 'postgres', '--auth=trust', '--no-instructions', ...locale],
    { cwd: data.cwd, stdio: ['ignore', 'ignore', 'pipe', lock], env: { PATH: process.env['PATH'], TZ: 'UTC' } },
  );
  const ended = new Promise<number | null>((resolve, reject) => initdb.once('error', reject).once('close', resolve));
  const errors = text(initdb.stderr ?? Readable.from([]));
  if ((await ended) !== 0) {
    const lines = (await errors).split('\n');
    rmSync(folder, { recursive: true, force: true });
    throw new EmbeddedDatabaseRefused(failureReason(lines, layout));
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

/** The top folder last: a change of owner that was cut short is then seen and done again. */
function giveTo(folder: string, owner: Owner): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveTo(path, owner);
    else if (entry.isFile()) chownSync(path, owner.uid, owner.gid);
  }
  chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o700);
}
