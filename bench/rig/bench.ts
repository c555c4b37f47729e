import type { Datasets } from './datasets.ts';
import type { Compared } from './measure.ts';

export type Size = 'small' | 'full';

export interface Bench {
  readonly size: Size;
  /** Rounds of each side of a comparison. */
  readonly rounds: number;
  /** Numbers of records, a decade apart, at which growth is measured. */
  readonly sizes: readonly [number, number, number];
  readonly datasets: Datasets;
  /** Says on standard error what is going on. */
  readonly say: (text: string) => void;
}

/** One line of the table. */
export interface Row {
  readonly load: string;
  /** What was measured, in words with units. */
  readonly ours: string;
  readonly yardstick: string;
  /** The figure that `reach` speaks of: a ratio, or milliseconds, or megabytes. */
  readonly figure: number;
  readonly reach: string;
  /** Null where nothing is asked for. */
  readonly reached: boolean | null;
  readonly exponent?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface Load {
  readonly name: string;
  readonly title: string;
  run(bench: Bench): Promise<readonly Row[]>;
}

export const atLeast = (figure: number, least: number): Pick<Row, 'figure' | 'reach' | 'reached'> => ({
  figure,
  reach: `>= ${least}`,
  reached: figure >= least,
});

export const atMost = (figure: number, most: number, unit = ''): Pick<Row, 'figure' | 'reach' | 'reached'> => ({
  figure,
  reach: `<= ${most}${unit}`,
  reached: figure <= most,
});

/** What a program that does the work of the contract alone reaches of the yardstick: no reach beyond it is in sight. */
export const bound = (load: string, unit: string, { ours, yardstick, ratio, ratios }: Compared): Row => ({
  load: `bound of ${load}: the work of the contract alone`,
  ours: `${count(ours)} ${unit}`,
  yardstick: `plain ${count(yardstick)} ${unit}`,
  figure: ratio,
  reach: '',
  reached: null,
  details: { ratios },
});

export const count = (value: number): string => Math.round(value).toLocaleString('en-US');
