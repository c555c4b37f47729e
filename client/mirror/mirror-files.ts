import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { columnNames, type MirrorColumn, type MirrorTables } from './columns.ts';
import { MirrorRefused } from './mirror-store.ts';

/** `csv`: a table for spreadsheets beside the NDJSON file of each resource. */
export const FILE_FORMATS = ['ndjson', 'csv'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** Opens a file of a mirror for writing. Throws `MirrorRefused` for a symbolic link: another user of the folder may have placed it. */
export async function openOwn(file: string, how: number): Promise<FileHandle> {
  try {
    return await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | how);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
    throw new MirrorRefused(`${file} is a symbolic link, which is not followed: remove it and run the same command again`);
  }
}

/** The lines of a file, or of its first bytes. Only a line feed ends a line: JSON may have other line ends inside. */
export async function* linesOf(file: string, bytes = Infinity): AsyncIterable<string> {
  if (bytes === 0) return;
  // Of a line longer than a chunk, joined once.
  let begun: string[] = [];
  for await (const chunk of createReadStream(file, { end: bytes - 1, encoding: 'utf8' })) {
    const [end, ...others] = (chunk as string).split('\n');
    begun.push(end!);
    const rest = others.pop();
    if (rest === undefined) continue;
    yield begun.join('');
    yield* others;
    begun = [rest];
  }
}

const CHUNK_CHARACTERS = 1 << 20;

/** Writes a file beside the former one, which readers see until `finish`. */
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
/** RFC 4180. */
const csvCell = (text: string): string => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
/** A spreadsheet would run it, although a source wrote it. */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text);

function csvRow(columns: readonly MirrorColumn[], data: string): string {
  const record = JSON.parse(data) as Readonly<Record<string, unknown>>;
  const cells = columns.map(({ field }) => {
    const value = record[field] ?? '';
    if (typeof value !== 'string') return csvCell(JSON.stringify(value));
    return csvCell(isFormula(value) ? `'${value}` : value);
  });
  return cells.join(',') + ROW_END;
}

export const fileOf = (resource: string, format: FileFormat): string => `${resource}.${format}`;

/** The files of one resource, being written again. */
export async function rewriteResource(path: (name: string) => string, tables: MirrorTables, resource: string, format: FileFormat) {
  const columns = tables[resource] ?? [];
  const records = await replaceFile(path(fileOf(resource, 'ndjson')));
  const table = format === 'csv' ? await replaceFile(path(fileOf(resource, 'csv'))) : null;
  await table?.write(columnNames(columns).join(',') + ROW_END);
  return {
    /** `data` is the JSON of one record, on one line. */
    async add(data: string): Promise<void> {
      await records.write(`${data}\n`);
      await table?.write(csvRow(columns, data));
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
