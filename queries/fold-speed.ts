import type { Generation } from '../src/domain/ports/generations.ts';

/** A running stretch is told from when it is this old; before that the last whole one is. */
const TELLING_MS = 3_000;
const FIRST_MS = 250;

export interface FoldSpeed {
  /** Events folded in a second; null before there is anything to tell. */
  readonly rate: number | null;
  /** Events of the log passed in a second, folded or not; null where the log cannot count. */
  readonly pace: number | null;
}

/**
 * How fast a generation is folded now. A stretch that was begun and not ended has come to a halt: it is told as it is, so that the rate of
 * who died, was paused or has nothing to do falls towards zero.
 */
export const speedOf = ({ folded, owner, operatorPausedAt, speed }: Generation, now: number): FoldSpeed => {
  if (operatorPausedAt !== null) return { rate: 0, pace: 0 };
  const elapsed = speed.stretchAt === null ? 0 : now - speed.stretchAt;
  const known = speed.foldRate !== null;
  if (elapsed < (known ? TELLING_MS : FIRST_MS)) return { rate: speed.foldRate, pace: owner === null ? null : speed.pace };
  const passed = speed.place === null || speed.stretchPlace === null ? null : speed.place - speed.stretchPlace;
  const aSecond = (count: number) => (count * 1000) / elapsed;
  return { rate: aSecond(folded - speed.stretchFolded), pace: passed === null ? null : aSecond(passed) };
};
