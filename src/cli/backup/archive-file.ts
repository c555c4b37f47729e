import { constants } from 'node:fs';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CommandFailed } from '../context.ts';

export interface ArchiveTarget {
  /** A file, or a folder in which the file gets its name. */
  readonly to: string;
  readonly defaultName: string;
  /** Tells one writer's unfinished file from another's. */
  readonly writer: string;
  readonly replace: boolean;
}

export interface WrittenFile {
  readonly file: string;
  readonly bytes: number;
}

/** Backups hold keys' hashes, what customers reported, and payments: for their owner alone. */
const OWNER_ONLY = 0o600;

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

const exists = (file: string): CommandFailed =>
  new CommandFailed(`${file} is there already: give another name, or --replace to write over it`);

const flushFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/**
 * Writes a file under a passing name, flushes it to the disk, and only then gives it its own: what is killed on the way leaves no file that
 * looks whole. Throws `CommandFailed` for a name that is taken, and removes what it had written on any failure.
 */
export const writeArchiveFile = async (target: ArchiveTarget, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> => {
  const to = resolve(target.to);
  const file = (await isFolder(to)) ? join(to, target.defaultName) : to;
  if (!target.replace && (await stat(file).catch(() => undefined)) !== undefined) throw exists(file);
  const passing = join(dirname(file), `.${basename(file)}.${target.writer}.partial`);
  try {
    const handle = await open(passing, 'wx', OWNER_ONLY);
    let size = 0;
    try {
      for await (const chunk of bytes) {
        await handle.writeFile(chunk);
        size += chunk.length;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (target.replace) await rename(passing, file);
    else await link(passing, file);
    await flushFolder(dirname(file));
    return { file, bytes: size };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw exists(file);
    if (code !== undefined && /^E[A-Z]+$/.test(code)) throw new CommandFailed(`${file} cannot be written: ${(error as Error).message}`);
    throw error;
  } finally {
    await rm(passing, { force: true });
  }
};
