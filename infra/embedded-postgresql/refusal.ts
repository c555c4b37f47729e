import { statfsSync, statSync } from 'node:fs';

/** The embedded database cannot be used. `message` is one line with the remedy. */
export class EmbeddedDatabaseRefused extends Error {
  override readonly name = 'EmbeddedDatabaseRefused';
}

/** Returns the code of a system error, such as `ENOSPC`, or an empty text. */
export function systemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * Runs `use`. Returns undefined if a file, a process or the reader of the FIFO is gone: a server can end at any moment.
 */
export function unlessGone<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch (error) {
    if (['ENOENT', 'ENXIO', 'ESRCH'].includes(systemErrorCode(error))) return undefined;
    throw error;
  }
}

const fullDisk = (root: string): string =>
  `the disk of ${root} is full: free some space and start again; nothing committed is lost`;
const readOnly = (root: string): string =>
  `${root} is on a read-only file system: set CIVIC_DATA_DIR to a folder that can be written`;

/** Returns the error itself if it is a refusal, else a refusal with one line about the data directory. */
export function refusalOf(folder: string, error: unknown): EmbeddedDatabaseRefused {
  return error instanceof EmbeddedDatabaseRefused ? error : new EmbeddedDatabaseRefused(folderReason(folder, error));
}

function folderReason(folder: string, error: unknown): string {
  switch (systemErrorCode(error)) {
    case 'EACCES':
    case 'EPERM': {
      const owner = statSync(folder, { throwIfNoEntry: false })?.uid;
      const whose = owner === undefined ? '' : `, it belongs to user ${owner}`;
      return `the data directory ${folder} cannot be used by user ${process.getuid?.() ?? '?'}${whose}: start as its owner, or set CIVIC_DATA_DIR to a folder of your own`;
    }
    case 'ENOSPC':
    case 'EDQUOT':
      return fullDisk(folder);
    case 'EROFS':
      return readOnly(folder);
    case 'ENOTDIR':
    case 'EEXIST':
      return `the data directory ${folder} is not a folder: set CIVIC_DATA_DIR to a folder`;
    default:
      return `the data directory ${folder} cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}

type Paths = Readonly<Record<'root' | 'cluster' | 'serverLog', string>>;

/** Parts of messages of the server and of initdb, each with the remedy. */
const ADVICE: readonly (readonly [signs: readonly string[], advice: (paths: Paths) => string])[] = [
  // A full disk truncates the line that reports it.
  [['No space left'], ({ root }) => fullDisk(root)],
  [
    ['Disk quota exceeded'],
    ({ root }) => `the disk quota for ${root} is used up: free some space and start again; nothing committed is lost`,
  ],
  [['Read-only file system'], ({ root }) => readOnly(root)],
  [
    ['has invalid permissions'],
    ({ cluster }) => `other accounts may use its data: run "chmod 700 ${cluster}" and start again`,
  ],
  [
    ['Permission denied', 'Operation not permitted'],
    ({ root }) =>
      `files below ${root} belong to another user: start as their owner, or set CIVIC_DATA_DIR to a folder of your own`,
  ],
  [
    ['Cannot allocate memory', 'could not create shared memory', 'could not map anonymous shared memory'],
    () => 'there is not enough memory for the embedded PostgreSQL (it shares 256 MB): free some and start again',
  ],
  [
    ['pre-existing shared memory block'],
    ({ cluster }) => `a PostgreSQL server that another program started uses ${cluster}: stop it and start again`,
  ],
  [
    [
      'could not locate a valid checkpoint',
      'could not locate required checkpoint',
      'invalid checkpoint',
      'invalid primary checkpoint',
      'invalid secondary checkpoint',
      'incorrect checksum in control file',
      'could not open file "global/pg_control"',
      'could not read file',
      'is not a database cluster',
      'database files are incompatible',
      'invalid data in',
      'unexpected end of file',
    ],
    ({ cluster }) =>
      `the data in ${cluster} is damaged or from another build of PostgreSQL: restore it from a backup, or set CIVIC_DATA_DIR to an empty folder and import again`,
  ],
];

/** Returns one line with cause and remedy, from the output of the server or initdb. */
export function failureReason(output: readonly string[], paths: Paths): string {
  const errors = output.filter((line) => /FATAL|PANIC|error:|ERROR|could not/.test(line));
  for (const [signs, advice] of ADVICE) {
    const line = errors.findLast((candidate) => signs.some((sign) => candidate.includes(sign)));
    if (line !== undefined) return `the embedded PostgreSQL does not start: ${advice(paths)} (${withoutPrefix(line)})`;
  }
  // A full disk truncates the message.
  if (hasNoSpace(paths.root)) return `the embedded PostgreSQL does not start: ${fullDisk(paths.root)}`;
  const last = errors.at(-1) ?? output.findLast((line) => line.trim() !== '');
  return `the embedded PostgreSQL does not start: ${last === undefined ? 'it ended without a message' : withoutPrefix(last)}; see ${paths.serverLog}`;
}

/** Free bytes that PostgreSQL needs to start. */
const START_BYTES = 64 * 1024;

function hasNoSpace(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < START_BYTES;
}

function withoutPrefix(line: string): string {
  return line
    .replace(/^.*?(FATAL|PANIC|ERROR|error):\s*/, '')
    .trim()
    .slice(0, 300);
}
