/** The same seed gives the same choices. */
export interface SeededRandom {
  /** Returns a number from 0, below 1. */
  next(): number;
  /** A whole number from 0, below the bound. */
  below(bound: number): number;
  chance(probability: number): boolean;
}

/** mulberry32. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (bound) => Math.floor(next() * bound), chance: (probability) => next() < probability };
}
