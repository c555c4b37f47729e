import { type CliContext, CommandFailed } from './context.ts';
import { EMPTY, table } from './table.ts';

/** Control characters, line ends, and what reverses or hides text: text from outside must not control the terminal or imitate lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The text on one line, with every invisible character escaped. */
export const visible = (text: string): string =>
  text.replaceAll(INVISIBLE, (character) => {
    if (character === '\n') return '\\n';
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });

export const isoOrNull = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

function cell(value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return EMPTY;
  if (Array.isArray(value)) return value.map(cell).join(',');
  return visible(typeof value === 'string' ? value : JSON.stringify(value));
}

function plain(value: unknown, width: number): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '(none)';
    const rows = value as Readonly<Record<string, unknown>>[];
    const columns = Object.keys(rows[0]!);
    return table([columns, ...rows.map((row) => columns.map((column) => cell(row[column])))], width);
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const width = Math.max(...entries.map(([key]) => key.length));
    return entries.map(([key, field]) => `${key.padEnd(width)}  ${cell(field)}`).join('\n');
  }
  return cell(value);
}

export function print({ stdout }: CliContext, value: unknown, options: { readonly json?: boolean }): void {
  // A pipe or a file has no width.
  const width = stdout.isTTY ? stdout.columns || 80 : Infinity;
  stdout.write(`${options.json === true ? JSON.stringify(value) : plain(value, width)}\n`);
}

export function warn({ stderr }: CliContext, message: string): void {
  stderr.write(`warning: ${message}\n`);
}

/** The reader has closed standard output (`| head`), or it cannot be written, which the program reports: no message, and the exit status of a program that SIGPIPE ends. */
export class ReaderGone extends CommandFailed {
  constructor() {
    super('', 141);
  }
}

/** Resolves when the reader has room for more. Throws the reason of a stop, and `ReaderGone` when the reader has closed the stream. */
export async function writeOut({ stdout, stopping }: CliContext, text: string | Uint8Array): Promise<void> {
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
}
