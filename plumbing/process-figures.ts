/** Durations by bucket, in seconds. `counts` are not cumulative; the last one counts values above all bounds. */
export class Tally {
  readonly counts: number[];
  sum = 0;
  readonly bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array<number>(bounds.length + 1).fill(0);
  }

  observe(seconds: number): void {
    const index = this.bounds.findIndex((bound) => seconds <= bound);
    const bucket = index < 0 ? this.bounds.length : index;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}

export const FIGURE_BOUNDS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** `unknown`: the connection was lost before the answer; `failed`: nothing was stored. */
export type AppendResult = 'appended' | 'conflict' | 'unknown' | 'failed';

export class ProcessFigures {
  readonly appends = new Map<AppendResult, Tally>();
  /** Duration of one batch without its commit, by projection. */
  readonly folds = new Map<string, Tally>();
  /** Number of feed pages answered from memory and from the database. */
  readonly feedPages = { memory: 0, database: 0 };
  prunedRows = 0;
  setBacks = 0;

  appended(result: AppendResult, seconds: number): void {
    tallyOf(this.appends, result).observe(seconds);
  }

  folded(projection: string, seconds: number): void {
    tallyOf(this.folds, projection).observe(seconds);
  }

  pruned(rows: number): number {
    this.prunedRows += rows;
    return rows;
  }
}

function tallyOf<Key>(tallies: Map<Key, Tally>, key: Key): Tally {
  const tally = tallies.get(key) ?? new Tally(FIGURE_BOUNDS);
  tallies.set(key, tally);
  return tally;
}
