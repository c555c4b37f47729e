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
  /** Prints progress on standard error. */
  readonly say: (text: string) => void;
}

/** One row of the result table. */
export interface Row {
  readonly load: string;
  /** Measured result, as text with units. */
  readonly ours: string;
  readonly yardstick: string;
  /** The figure that `reach` limits: a ratio, milliseconds or megabytes. */
  readonly figure: number;
  readonly reach: string;
  /** Null for a row without a target. */
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

/** Row without a target: how close a program that only does the work of the contract comes to the yardstick. */
export const bound = (load: string, unit: string, { ours, yardstick, ratio, ratios }: Compared): Row => ({
  load: `bound of ${load}: the work of the contract alone`,
  ours: `${count(ours)} ${unit}`,
  yardstick: `plain ${count(yardstick)} ${unit}`,
  figure: ratio,
  reach: '',
  reached: null,
  details: { ratios },
});

/** Marks a row that is printed for orientation only. */
export const withoutTarget = (figure: number): Pick<Row, 'figure' | 'reach' | 'reached'> => ({
  figure,
  reach: '',
  reached: null,
});

export const count = (value: number): string => Math.round(value).toLocaleString('en-US');
