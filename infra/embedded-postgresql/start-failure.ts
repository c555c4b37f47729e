import type { DataLayout } from './data-directory.ts';

interface Known {
  readonly sign: RegExp;
  readonly advice: (layout: DataLayout) => string;
}

const known: readonly Known[] = [
  {
    sign: /No space left on device/,
    advice: ({ root }) => `the disk of ${root} is full: free some space and start again; nothing committed is lost`,
  },
  {
    sign: /Disk quota exceeded/,
    advice: ({ root }) => `the disk quota for ${root} is used up: free some space and start again; nothing committed is lost`,
  },
  {
    sign: /Read-only file system/,
    advice: ({ root }) => `${root} is on a read-only file system: set CIVIC_DATA_DIR to a folder that can be written`,
  },
  {
    sign: /Permission denied|Operation not permitted/,
    advice: ({ root }) => `files below ${root} belong to another user: start as their owner, or set CIVIC_DATA_DIR to a folder of your own`,
  },
  {
    sign: /Cannot allocate memory|could not create shared memory|could not map anonymous shared memory/,
    advice: () => 'there is not enough memory for the embedded PostgreSQL (it shares 256 MB): free some and start again',
  },
  {
    sign: /could not locate a valid checkpoint|invalid checkpoint|invalid (primary|secondary) checkpoint|incorrect checksum in control file|could not open file "global\/pg_control"|is not a database cluster|database files are incompatible|could not locate required checkpoint|invalid data in|unexpected end of file|could not read file/,
    advice: ({ cluster }) =>
      `the data in ${cluster} is damaged or from another build of PostgreSQL: restore it from a backup, or set CIVIC_DATA_DIR to an empty folder and import again`,
  },
];

/** One line for the person at the terminal from what the server or initdb printed: the cause, and what to do. */
export function failureReason(output: readonly string[], layout: DataLayout): string {
  const errors = output.filter((line) => /FATAL|PANIC|error:|ERROR|could not/.test(line));
  for (const { sign, advice } of known) {
    const line = errors.findLast((candidate) => sign.test(candidate));
    if (line !== undefined) return `the embedded PostgreSQL does not start: ${advice(layout)} (${said(line)})`;
  }
  const last = errors.at(-1) ?? output.findLast((line) => line.trim() !== '');
  return `the embedded PostgreSQL does not start: ${last === undefined ? 'it ended without a word' : said(last)}; see ${layout.serverLog}`;
}

function said(line: string): string {
  return line
    .replace(/^.*?(FATAL|PANIC|ERROR|error):\s*/, '')
    .trim()
    .slice(0, 300);
}
