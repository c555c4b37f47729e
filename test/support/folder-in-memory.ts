import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { availableMemory } from 'node:process';

const MEMORY = '/dev/shm';
const PREFIX = 'civic-tests-';
const ROOM_BYTES = 4 * 2 ** 30;

/** Free bytes of a file system in memory and of the memory itself. */
function hasRoom(): boolean {
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, availableMemory()) > ROOM_BYTES;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A run in another container has no process here, but changes its folder repeatedly. */
const UNCHANGED_MS = 600_000;

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another account's, or a server still writes: a later run removes it.
  }
}

/** Runs that were killed left theirs, which would hold memory until the machine starts again. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : Number.NaN;
    if (!Number.isInteger(pid) || isAlive(pid)) continue;
    const folder = join(MEMORY, name);
    const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (changedAt < Date.now() - UNCHANGED_MS) remove(folder);
  }
}

/** True if programs in the folder can run; a file system with `noexec` forbids it. */
function mayExecute(folder: string): boolean {
  const program = join(folder, 'program');
  try {
    writeFileSync(program, '', { mode: 0o700 });
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(program, { force: true });
  }
}

/**
 * A folder in memory for the temporary files of this process, which goes with it; null if there is no room or programs
 * may not run.
 */
export function folderInMemory(): string | null {
  if (!existsSync(MEMORY)) return null;
  removeLeftovers();
  if (!hasRoom()) return null;
  const folder = join(MEMORY, `${PREFIX}${process.pid}`);
  try {
    mkdirSync(folder);
    // Permissions like those of a folder of temporary files: servers run as other users.
    chmodSync(folder, 0o1777);
  } catch {
    return null;
  }
  process.once('exit', () => remove(folder));
  return mayExecute(folder) ? folder : null;
}
