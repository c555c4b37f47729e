import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { nativeFolder, program } from '../../infra/embedded-postgresql/launch-plan.ts';
import { claimDataDirectory } from '../../infra/embedded-postgresql/data-directory.ts';

export const NOBODY = 65_534;

/** The number of an account of this machine, or undefined if there is none of that name. */
export function uidOf(account: string): number | undefined {
  const { status, stdout } = spawnSync('id', ['-u', account], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}

/**
 * Makes a data directory in the form of versions without a database password: a cluster that trusts every connection, owned by `nobody` when
 * root made it. Its table `kept` has one row.
 */
export function makeTrustingCluster(dataDir: string): void {
  const { cluster } = claimDataDirectory(dataDir);
  const native = nativeFolder();
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  mkdirSync(cluster);
  chmodSync(cluster, 0o700);
  if ('uid' in account) chownSync(cluster, NOBODY, NOBODY);
  const run = (name: 'initdb' | 'postgres', args: readonly string[], input = ''): void =>
    void execFileSync(program(native, name), args, { ...account, cwd: '/', input, stdio: ['pipe', 'ignore', 'pipe'] });
  run('initdb', ['-D', cluster, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']);
  const table = 'create table kept (id bigint generated always as identity)\ninsert into kept default values\n';
  run('postgres', ['--single', '-D', cluster, '-c', 'exit_on_error=on', 'postgres'], table);
}
