import { link, lstat, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CommandFailed } from '../context.ts';

interface ArchiveTarget {
  /** A file, or a folder that gets a file with the default name. */
  readonly to: string;
  readonly defaultName: string;
  /** Names the unfinished file, so that several writers do not collide. */
  readonly writer: string;
  readonly replace: boolean;
  /** Throws `CommandFailed` for a file that must not be replaced. */
  readonly requireReplaceable: (file: string) => Promise<void>;
}

/** Backups contain hashes of keys, reports and payments. */
const OWNER_ONLY = 0o600;

const exists = (file: string): CommandFailed =>
  new CommandFailed(`${file} is there already: give another name, or --replace to write over it`);

/** Returns the path to write. Follows a symbolic link to a regular file. Throws `CommandFailed` for a file that must not be replaced. */
async function resolveTarget(file: string, { replace, requireReplaceable }: ArchiveTarget): Promise<string> {
  const existing = await lstat(file).catch(() => undefined);
  if (existing === undefined) return file;
  const stats = await stat(file).catch(() => undefined);
  if (stats?.isFile() !== true)
    throw new CommandFailed(`${file} is no regular file: give another name, or - for standard output`);
  if (!replace) throw exists(file);
  await requireReplaceable(file);
  return existing.isSymbolicLink() ? realpath(file) : file;
}

/** Writes a temporary file, flushes it and renames it, so that a killed backup leaves no file that looks complete. Throws `CommandFailed`. */
export async function writeArchiveFile(target: ArchiveTarget, bytes: AsyncIterable<Uint8Array>) {
  const to = resolve(target.to);
  const isFolder = (await stat(to).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder && target.to.endsWith(sep)) throw new CommandFailed(`${target.to} is no folder: make it first`);
  const file = await resolveTarget(isFolder ? join(to, target.defaultName) : to, target);
  const temporary = join(dirname(file), `.${basename(file)}.${target.writer}.partial`);
  try {
    await writeFile(temporary, bytes, { flag: 'wx', mode: OWNER_ONLY, flush: true });
    const { size } = await stat(temporary);
    if (target.replace) await rename(temporary, file);
    else await link(temporary, file);
    const folder = await open(dirname(file), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    return { file, bytes: size };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw exists(file);
    if (code !== undefined && /^E[A-Z]+$/.test(code))
      throw new CommandFailed(`${file} cannot be written: ${(error as Error).message}`);
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}
