import * as fs from 'node:fs';
import type { DataLayout } from './data-directory.ts';

const LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * Copies a log beyond the limit to `<name>.1` and truncates it, because the server continues to write to the same file.
 * Only the one service calls this.
 */
export function limitServerLog({ serverLog }: DataLayout): void {
  const moved = `${serverLog}.1`;
  let log: number | undefined;
  try {
    log = openServerLog(serverLog);
    if (fs.fstatSync(log).size <= LIMIT_BYTES) return;
    fs.rmSync(moved, { force: true });
    fs.writeFileSync(moved, fs.readFileSync(log), { flag: 'wx', mode: 0o600 });
    fs.ftruncateSync(log);
  } catch {
    // A log that cannot be copied, for example on a full disk, must not stop the database.
    fs.rmSync(moved, { force: true });
  } finally {
    if (log !== undefined) fs.closeSync(log);
  }
}

/** Opens the log without following links, because root might run the server in the folder of another account. */
export function openServerLog(path: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = fs.constants;
  return fs.openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
}
