import { mkdirSync, writeFileSync } from 'node:fs';
import type { Row } from './bench.ts';
import type { Setting } from './setting.ts';

const RESULTS = new URL('../results/', import.meta.url);

/** One file per run and load, with one JSON row per line. */
export function writeResult(
  name: string,
  { rows, ...run }: { readonly rows: readonly Row[]; readonly setting: Setting; readonly [key: string]: unknown },
): void {
  mkdirSync(RESULTS, { recursive: true });
  const time = new Date().toISOString();
  const lines = rows.map((row) => `${JSON.stringify({ time, name, ...run, ...row })}\n`);
  writeFileSync(new URL(`${time.replaceAll(/[:.]/g, '-')}-${name}.ndjson`, RESULTS), lines.join(''));
}

const rounded = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toString() : value.toFixed(value >= 10 ? 1 : 2);

const verdict = ({ reached }: Row): string => (reached === null ? '-' : reached ? 'reached' : 'BELOW');

/** Returns the table below a description of the machine and the versions. */
export function tableText(
  setting: Setting,
  run: { readonly size: string; readonly rounds: number },
  rows: readonly Row[],
): string {
  const head = ['load', 'ours', 'yardstick', 'figure', 'reach', 'verdict', 'growth'];
  const cells = rows.map((row) => [
    row.load,
    row.ours,
    row.yardstick,
    rounded(row.figure),
    row.reach,
    verdict(row),
    row.exponent === undefined ? '' : `n^${row.exponent.toFixed(2)}`,
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((line) => line[column]!.length)));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [
    '',
    `size ${run.size}, medians of ${run.rounds} turns side by side`,
    `${setting.machine}; load average at the start ${setting.loadAverage}; one flush (8 KiB and fdatasync) ${setting.flushMs} ms`,
    setting.versions,
    `PostgreSQL: ${setting.server}`,
    '',
    line(head),
    line(widths.map((width) => '-'.repeat(width))),
    ...cells.map(line),
    '',
    '',
  ].join('\n');
}
