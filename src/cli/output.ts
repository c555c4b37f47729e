import { type CliContext, CommandFailed } from './context.ts';

/** Controls, line ends, and what turns or hides text: somebody else's words must neither drive the terminal nor look like other lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A text on one line with everything in it to be seen. */
export const visible = (text: string): string =>
  text.replaceAll(UNSEEN, (character) => {
    if (character === '\n') return '\\n';
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });

const cell = (value: unknown): string => {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '-';
  if (Array.isArray(value)) return value.map(cell).join(',');
  return visible(typeof value === 'string' ? value : JSON.stringify(value));
};

const table = (rows: readonly Readonly<Record<string, unknown>>[]): string => {
  const columns = Object.keys(rows[0]!);
  const cells = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]!.length)));
  return cells
    .map((row) =>
      row
        .map((text, index) => text.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const plain = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : table(value as Readonly<Record<string, unknown>>[]);
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const width = Math.max(...entries.map(([key]) => key.length));
    return entries.map(([key, field]) => `${key.padEnd(width)}  ${cell(field)}`).join('\n');
  }
  return cell(value);
};

/** Prints a command's answer: one JSON value with `--json`, else lines or a table for a person. */
export const print = ({ stdout }: CliContext, value: unknown, options: { readonly json?: boolean }): void => {
  stdout.write(`${options.json === true ? JSON.stringify(value) : plain(value)}\n`);
};

/** One line on standard error that changes nothing about the exit status. */
export const warn = ({ stderr }: CliContext, message: string): void => {
  stderr.write(`warning: ${message}\n`);
};

/** What a shell calls the end by SIGPIPE. */
const READER_GONE = 141;

/** Nobody reads on (`| head`): an end without a word. */
export class ReaderGone extends CommandFailed {
  constructor() {
    super('', READER_GONE);
  }
}

/** Writes when the reader has room for it. Throws the reason of a stop, and `ReaderGone` when nobody reads any more. */
export const writeOut = async ({ stdout, stopping }: CliContext, text: string | Uint8Array): Promise<void> => {
  stopping.throwIfAborted();
  if (!stdout.writable) throw new ReaderGone();
  if (stdout.write(text)) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const gone = () => reject(new ReaderGone());
  const stop = () => reject(stopping.reason as Error);
  stdout.once('drain', resolve).once('close', gone);
  stopping.addEventListener('abort', stop, { once: true });
  try {
    await promise;
  } finally {
    stdout.off('drain', resolve).off('close', gone);
    stopping.removeEventListener('abort', stop);
  }
};
