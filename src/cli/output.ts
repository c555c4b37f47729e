import type { CliContext } from './context.ts';

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(cell).join(',');
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value as string | number | boolean);
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
