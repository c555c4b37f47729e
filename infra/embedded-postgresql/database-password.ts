import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { closeSync, fchownSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { DataLayout } from './data-layout.ts';

const format = /^[\w-]{43}$/;

/** A new password of 256 random bits, which needs no escape in a connection string. */
export function newPassword(): string {
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
export function writePassword(layout: DataLayout, password: string): void {
  const unfinished = `${layout.password}.unfinished`;
  rmSync(unfinished, { force: true });
  const file = openSync(unfinished, 'wx', 0o600);
  try {
    const owner = statSync(layout.root);
    if (process.getuid?.() === 0) fchownSync(file, owner.uid, owner.gid);
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
export function scramVerifier(password: string): string {
  // Iterations slow down guesses of a weak password: this one has 256 random bits, and they would slow down every connection.
  const [iterations, salt] = [1, randomBytes(16)];
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`;
}
