import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataLayout, giveToOwner, isOurs } from './data-directory.ts';
import { type ClusterStart, runProgram } from './run-program.ts';
import { unlessGone } from './refusal.ts';
import { superuser } from './server-settings.ts';

/**
 * Makes the cluster require the stored password. No server may run. Every step is idempotent, so the next start
 * completes an interrupted change.
 */
export async function secureCluster(start: ClusterStart): Promise<void> {
  const { layout } = start;
  const stored = readPassword(layout);
  // 256 random bits that need no escaping in a connection string.
  const password = stored ?? randomBytes(32).toString('base64url');
  const rules = unlessGone(() => readFileSync(join(layout.cluster, 'pg_hba.conf'), 'utf8'));
  if (stored !== undefined && rules === `${accessRules(password).join('\n')}\n`) return;
  await setPassword(start, password);
  if (stored === undefined) writePassword(layout, password);
}

/** Returns the lines of `pg_hba.conf`. The digest proves that the cluster belongs to the stored password. */
function accessRules(password: string): readonly string[] {
  const digest = createHash('sha256').update(password).digest('hex');
  return [
    `# Written by civic-records at each change of the password ${digest}`,
    'local all all scram-sha-256',
    'host all all all scram-sha-256',
  ];
}

/**
 * Sets the password and then the access rules in single-user mode, where no client can connect. The server's account
 * receives the verifier only, and writes the rules itself: root must not write to a folder of another account, which
 * might contain links.
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
  const args = (data: string) => ['--single', '-D', data, '-c', 'exit_on_error=on', 'postgres'];
  await runProgram(start, { name: 'postgres', folder: start.layout.cluster, args }, `${statements.join('\n')}\n`);
}

/** Reads the password. Returns undefined if other accounts could have read or written the file. */
export function readPassword(layout: DataLayout): string | undefined {
  const stat = statSync(layout.password, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const isPrivate = isOurs(stat, layout.root) && stat.isFile() && (stat.mode & 0o077) === 0;
  const password = isPrivate ? readFileSync(layout.password, 'utf8').trim() : '';
  return /^[\w-]{43}$/.test(password) ? password : undefined;
}

/** Writes the password atomically: a kill or a power cut leaves the old file or a complete new one. */
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

/** Returns the SCRAM-SHA-256 verifier (RFC 5802, RFC 7677), from which the password cannot be derived. */
function scramVerifier(password: string): string {
  // One iteration suffices for 256 random bits. More would slow down each connection and only protect weak passwords.
  const [iterations, salt] = [1, randomBytes(16)];
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`;
}
