import { visible } from '../../plumbing/visible-text.ts';
import { type CliContext, CommandFailed } from './context.ts';
import { EMPTY, table } from './table.ts';

export const isoOrNull = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

function formatCell(value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return EMPTY;
  if (Array.isArray(value)) return value.map(formatCell).join(',');
  return visible(typeof value === 'string' ? value : JSON.stringify(value));
}

function formatPlain(value: unknown, width: number): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '(none)';
    const rows = value as Readonly<Record<string, unknown>>[];
    const columns = [...new Set(rows.flatMap(Object.keys))];
    return table([columns, ...rows.map((row) => columns.map((column) => formatCell(row[column])))], width);
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const width = Math.max(...entries.map(([key]) => key.length));
    return entries.map(([key, field]) => `${key.padEnd(width)}  ${formatCell(field)}`).join('\n');
  }
  return formatCell(value);
}

export function print({ stdout }: CliContext, value: unknown, options: { readonly json?: boolean }): void {
  // A pipe or a file has no width.
  const width = stdout.isTTY ? stdout.columns || 80 : Infinity;
  stdout.write(`${options.json === true ? JSON.stringify(value) : formatPlain(value, width)}\n`);
}

/** Prints a warning. Its invisible characters are escaped, since it may quote a service or a source. */
export function warn({ stderr }: CliContext, message: string): void {
  stderr.write(`warning: ${visible(message)}\n`);
}

/** The reader closed standard output (`| head`), or writing failed, which the program reports itself. No message; the exit status of SIGPIPE. */
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
  const rejectAsClosed = () => reject(new ReaderGone());
  const stop = () => reject(stopping.reason as Error);
  stdout.once('drain', resolve).once('close', rejectAsClosed);
  stopping.addEventListener('abort', stop, { once: true });
  try {
    await promise;
  } finally {
    stdout.off('drain', resolve).off('close', rejectAsClosed);
    stopping.removeEventListener('abort', stop);
  }
}
