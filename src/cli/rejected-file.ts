import { hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { lockInFolder } from '../../client/mirror/folder-lock.ts';
import type { InputLine } from '../sources/ndjson/read-lines.ts';
import { CommandFailed } from './context.ts';

/** Number of buffered characters that triggers a write. */
const WRITE_AT = 65_536;
/** The lines come from the input, which other users might not be allowed to read. */
const OWNER_ONLY = 0o600;
/** `O_NONBLOCK` opens a named pipe without waiting for its reader. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Returns why the file is not written; null for a regular file, which the import replaces. */
function findObstacle(stats: Stats): string | null {
  if (stats.isSymbolicLink()) return 'is a symbolic link';
  if (!stats.isFile()) return 'is no regular file';
  return stats.nlink > 1 ? 'has another name too (a hard link)' : null;
}

const createRefusal = (path: string, reason: string): CommandFailed =>
  new CommandFailed(
    `the refused lines cannot be written: ${path} ${reason}; they are only in the input: remove that file and run the same import again, which repeats nothing`,
  );

/** Resolves to null if another import has the lock. If no lock can be made, continues without one: most imports reject no line. */
const lockName = (path: string): Promise<(() => Promise<void>) | null> =>
  lockInFolder(dirname(path), `.import-${hash('sha256', basename(path)).slice(0, 8)}-`).catch(
    () => () => Promise.resolve(),
  );

/** Writes rejected lines to a file next to the input, for correction and another import. Does not follow links. */
export class RejectedFile {
  readonly path: string;
  readonly #unlock: () => Promise<void>;
  #file: FileHandle | undefined;
  #waiting = '';
  /** Batches add lines concurrently; writes run one after the other. */
  #written: Promise<void> = Promise.resolve();
  private constructor(path: string, unlock: () => Promise<void>) {
    this.path = path;
    this.#unlock = unlock;
  }

  /**
   * Opens `NAME.rejected.ndjson`, or the first of `NAME.rejected-2.ndjson` and so on that no other import uses. Another import can take the
   * name after `close`. Throws `CommandFailed` unless the file is missing or a regular file; call it before the input is read.
   */
  static async beside(name: string): Promise<RejectedFile> {
    for (let number = 1; ; number += 1) {
      const path = `${name}.rejected${number === 1 ? '' : `-${number}`}.ndjson`;
      const unlock = await lockName(path);
      if (unlock === null) continue;
      const stats = await lstat(path).catch(() => null);
      const reason = stats === null ? null : findObstacle(stats);
      if (reason === null) return new RejectedFile(path, unlock);
      await unlock();
      throw createRefusal(path, reason);
    }
  }

  async add(line: InputLine, reason: string): Promise<void> {
    const whole = line.bytes.length === line.length;
    const text = line.bytes.toString('utf8');
    const content = Buffer.from(text).equals(line.bytes) ? { text } : { base64: line.bytes.toString('base64') };
    this.#waiting += `${JSON.stringify({ line: line.number, reason, ...content, ...(whole ? {} : { bytes: line.length }) })}\n`;
    if (this.#file === undefined || this.#waiting.length > WRITE_AT) await this.#flush();
  }

  async #flush(): Promise<void> {
    this.#written = this.#written.then(() => this.#write());
    await this.#written;
  }

  async #write(): Promise<void> {
    const text = this.#waiting;
    if (text === '') return;
    this.#waiting = '';
    this.#file ??= await this.#open();
    await this.#file.writeFile(text).catch((error: Error) => {
      throw new CommandFailed(`the refused lines cannot all be written to ${this.path}: ${error.message}`);
    });
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.path, FLAGS, OWNER_ONLY).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ELOOP') throw createRefusal(this.path, 'is a symbolic link');
      throw new CommandFailed(`the refused lines cannot be written: ${error.message}; they are only in the input`);
    });
    const reason = findObstacle(await file.stat());
    if (reason === null) {
      await file.truncate();
      return file;
    }
    await file.close();
    throw createRefusal(this.path, reason);
  }

  async close(): Promise<void> {
    try {
      await this.#flush();
    } finally {
      await this.#file?.close();
      await this.#unlock();
    }
  }
}
