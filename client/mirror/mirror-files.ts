import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { columnNames, type MirrorColumn, type MirrorTables } from './columns.ts';
import { MirrorRefused } from './mirror-store.ts';
import { MIRROR_TABLES } from './mirror-tables.ts';

/** `csv` adds a table for spreadsheets next to the NDJSON file of each resource. */
export const FILE_FORMATS = ['ndjson', 'csv'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** Opens a file of a mirror for writing. Throws `MirrorRefused` for a symbolic link, which another user of the folder might have placed. */
export async function openOwn(file: string, how: number): Promise<FileHandle> {
  try {
    return await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | how);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
    throw new MirrorRefused(
      `${file} is a symbolic link, which is not followed: remove it and run the same command again`,
    );
  }
}

/** Yields the lines of a file, or of its first bytes. Only a line feed ends a line: JSON may contain other line separators. */
export async function* linesOf(file: string, bytes = Infinity): AsyncIterable<string> {
  if (bytes === 0) return;
  // Parts of a line that is longer than a chunk; they are joined once.
  let pending: string[] = [];
  for await (const chunk of createReadStream(file, { end: bytes - 1, encoding: 'utf8' })) {
    const [end, ...others] = (chunk as string).split('\n');
    pending.push(end!);
    const rest = others.pop();
    if (rest === undefined) continue;
    yield pending.join('');
    yield* others;
    pending = [rest];
  }
}

const CHUNK_CHARACTERS = 1 << 20;

/** Writes a new file next to the old one, which readers see until `finish`. */
async function replaceFile(file: string) {
  const handle = await openOwn(`${file}.new`, constants.O_TRUNC);
  let buffered = '';
  const flush = async (): Promise<void> => {
    const text = buffered;
    buffered = '';
    await handle.appendFile(text);
  };
  return {
    async write(text: string): Promise<void> {
      buffered += text;
      if (buffered.length > CHUNK_CHARACTERS) await flush();
    },
    async finish(): Promise<void> {
      await flush();
      await handle.sync();
      await handle.close();
      await rename(`${file}.new`, file);
    },
    close: () => handle.close().catch(() => undefined),
  };
}

const ROW_END = '\r\n';
/** Quotes a cell as RFC 4180 requires. */
const formatCell = (text: string): string => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
/** True for text from a source that a spreadsheet would run as a formula. */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text);

function formatRow(columns: readonly MirrorColumn[], data: string): string {
  const record = JSON.parse(data) as Readonly<Record<string, unknown>>;
  const cells = columns.map(({ field }) => {
    const value = record[field] ?? '';
    if (typeof value !== 'string') return formatCell(JSON.stringify(value));
    return formatCell(isFormula(value) ? `'${value}` : value);
  });
  return cells.join(',') + ROW_END;
}

const formatHead = (columns: readonly MirrorColumn[]): string => columnNames(columns).join(',') + ROW_END;

export const fileOf = (resource: string, format: FileFormat): string => `${resource}.${format}`;

/** Returns no columns for a resource of an earlier version. */
const columnsOf = (resource: string): readonly MirrorColumn[] => (MIRROR_TABLES as MirrorTables)[resource] ?? [];

/** Rewrites the files of one resource. */
export async function rewriteResource(path: (name: string) => string, resource: string, format: FileFormat) {
  const columns = columnsOf(resource);
  const records = await replaceFile(path(fileOf(resource, 'ndjson')));
  const table = format === 'csv' ? await replaceFile(path(fileOf(resource, 'csv'))) : null;
  await table?.write(formatHead(columns));
  return {
    /** `data` is the JSON of one record, on one line. */
    async add(data: string): Promise<void> {
      await records.write(`${data}\n`);
      await table?.write(formatRow(columns, data));
    },
    async finish(): Promise<void> {
      await table?.finish();
      await records.finish();
      if (table === null) await rm(path(fileOf(resource, 'csv')), { force: true });
    },
    async close(): Promise<void> {
      await records.close();
      await table?.close();
    },
  };
}

async function hashFile(file: string): Promise<string | null> {
  const sum = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) sum.update(chunk as Buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
  return sum.digest('hex');
}

/** Describes how the CSV table of a resource differs from its NDJSON file; null if it does not. */
export async function findStaleTable(path: (name: string) => string, resource: string): Promise<string | null> {
  const columns = columnsOf(resource);
  const expected = createHash('sha256').update(formatHead(columns));
  for await (const data of linesOf(path(fileOf(resource, 'ndjson')))) expected.update(formatRow(columns, data));
  const actual = await hashFile(path(fileOf(resource, 'csv')));
  if (actual === expected.digest('hex')) return null;
  const [table, records] = [fileOf(resource, 'csv'), fileOf(resource, 'ndjson')];
  return actual === null ? `${table} is missing` : `${table} differs from ${records}`;
}
