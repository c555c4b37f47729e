import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { program } from './binaries.ts';
import type { LaunchPlan } from './launch-plan.ts';
import { runs } from './launch-plan.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';

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
