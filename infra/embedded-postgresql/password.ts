import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataLayout, giveToOwner } from './data-directory.ts';
import { systemErrorCode } from './refusal.ts';
import { type ClusterStart, runProgram } from './run-program.ts';
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

const format = /^[\w-]{43}$/;

/** A new password of 256 random bits, which needs no escape in a connection string. */
function newPassword(): string {
  return randomBytes(32).toString('base64url');
}

/** The password of a data directory, or undefined when there is none that other accounts could neither read nor have written. */
export function readPassword(layout: DataLayout): string | undefined {
  const stat = statSync(layout.password, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const isPrivate = [0, process.getuid?.(), statSync(layout.root).uid].includes(stat.uid) && stat.isFile() && (stat.mode & 0o077) === 0;
  const password = isPrivate ? readFileSync(layout.password, 'utf8').trim() : '';
  return format.test(password) ? password : undefined;
}

/** Stores the password for the owner of the data directory alone; a kill or a power cut leaves the former file or a whole new one. */
function writePassword(layout: DataLayout, password: string): void {
  const unfinished = `${layout.password}.unfinished`;
  rmSync(unfinished, { force: true });
  const file = openSync(unfinished, 'wx', 0o600);
  try {
    giveToOwner(file, layout.root);
    writeFileSync(file, `${password}\n`, { flush: true });
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, layout.password);
  const folder = openSync(layout.root, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** What PostgreSQL stores to check a password by SCRAM-SHA-256 (RFC 5802, RFC 7677); the password cannot be derived from it. */
function scramVerifier(password: string): string {
  // Iterations slow down guesses of a weak password: this one has 256 random bits, and they would slow down every connection.
  const [iterations, salt] = [1, randomBytes(16)];
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`;
}
