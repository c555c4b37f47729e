import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newPassword, readPassword, scramVerifier, writePassword } from './database-password.ts';
import { systemErrorCode } from './refusal.ts';
import type { ClusterStart } from './run-program.ts';
import { runProgram } from './run-program.ts';
import { superuser } from './server-settings.ts';

/**
 * Makes sure that the cluster wants the stored password on every connection, and returns that password. A cluster that does not is changed
 * while no server runs. Every step can be repeated: the next start completes a change that was killed.
 */
export async function secureCluster(start: ClusterStart): Promise<string> {
  const { layout } = start;
  const stored = readPassword(layout);
  const password = stored ?? newPassword();
  if (stored === undefined || readRules(layout.cluster) !== `${accessRules(password).join('\n')}\n`) {
    await setPassword(start, password);
    if (stored === undefined) writePassword(layout, password);
  }
  return password;
}

/** The contents of `pg_hba.conf`. The digest shows that this cluster belongs to the stored password. */
function accessRules(password: string): readonly string[] {
  const digest = createHash('sha256').update(password).digest('hex');
  return [
    `# Written by civic-records at each change of the password ${digest}`,
    'local all all scram-sha-256',
    'host all all all scram-sha-256',
  ];
}

function readRules(cluster: string): string | undefined {
  try {
    return readFileSync(join(cluster, 'pg_hba.conf'), 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Sets the password, then the access rules, in single-user mode, in which PostgreSQL takes no connections. The account of the server sees the
 * verifier alone, and writes the rules itself: root must not write in a folder of another account, which could have put links there.
 */
async function setPassword(start: ClusterStart, password: string): Promise<void> {
  const rules = accessRules(password)
    .map((line) => `'${line}'`)
    .join(',');
  const copy = `copy (select unnest(array[${rules}])) to %L`;
  const statements = [
    `alter role ${superuser} password '${scramVerifier(password)}'`,
    `do $$begin execute format($copy$${copy}$copy$, current_setting('data_directory') || '/pg_hba.conf'); end$$`,
  ];
  await runProgram({
    ...start,
    name: 'postgres',
    folder: start.layout.cluster,
    arguments: (data) => ['--single', '-D', data, '-c', 'exit_on_error=on', 'postgres'],
    input: `${statements.join('\n')}\n`,
  });
}
