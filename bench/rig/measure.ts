/** Returns the median: for an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value below which the share `p` of the values lies. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

export interface Compared {
  readonly ours: number;
  readonly yardstick: number;
  /** Median of the ratios of consecutive runs, so that disturbances of both cancel out. */
  readonly ratio: number;
  readonly ratios: readonly number[];
}

/** Runs two measurements alternately, each first in every other round, after one unmeasured round. Figures are rates: more is better. */
export async function alternate(
  rounds: number,
  ours: () => Promise<number>,
  yardstick: () => Promise<number>,
): Promise<Compared> {
  await ours();
  await yardstick();
  const a: number[] = [];
  const b: number[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 1) b.push(await yardstick());
    a.push(await ours());
    if (round % 2 === 0) b.push(await yardstick());
  }
  const ratios = a.map((value, index) => value / b[index]!);
  return {
    ours: median(a),
    yardstick: median(b),
    ratio: median(ratios),
    ratios: ratios.map((ratio) => Math.round(ratio * 1000) / 1000),
  };
}

/** Growth of cost with size: the slope of the line through the logarithms. 0 is flat, 1 proportional. */
export function growthExponent(points: readonly { readonly size: number; readonly cost: number }[]): number {
  const xs = points.map(({ size }) => Math.log(size));
  const ys = points.map(({ cost }) => Math.log(cost));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(xs), mean(ys)];
  return (
    xs.reduce((sum, x, index) => sum + (x - mx) * (ys[index]! - my), 0) / xs.reduce((sum, x) => sum + (x - mx) ** 2, 0)
  );
}

/** Milliseconds that the work took, and its result. */
export async function timed<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly ms: number; readonly result: Result }> {
  const started = performance.now();
  const result = await work();
  return { ms: performance.now() - started, result };
}
