/** Lines at the top that can be the name of a paper. */
export const TITLE_LINES = 25;

/** A fact that a line states. */
export interface Stated<Value> {
  readonly value: Value;
  /** The greater, the more probable. */
  readonly weight: number;
  /** Index of the line. */
  readonly index: number;
}

/** Returns the first of the most probable facts. */
export function heaviest<Value>(candidates: readonly Stated<Value>[]): Stated<Value> | null {
  let best: Stated<Value> | null = null;
  for (const each of candidates) if (best === null || each.weight > best.weight) best = each;
  return best;
}

/** True for a line that is a title rather than prose. */
export const isShort = (text: string): boolean => text.length <= 90;
