/** Work in steps of at most a few milliseconds: other tasks can run at each `yield`. */
export type Steps<Result> = Generator<undefined, Result>;

/** Runs the steps and yields to the event loop between them. */
export async function runInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    await new Promise(setImmediate);
  }
}

/** Runs all steps without yielding, for input that is known to be small. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Number of values per step, for values with short texts. */
const VALUES_PER_STEP = 20;

/** Maps `valuesPerStep` values per step. Pass 1 if a value can have long texts. */
export function* mapInSteps<Value, Mapped>(
  values: readonly Value[],
  map: (value: Value) => Mapped,
  valuesPerStep = VALUES_PER_STEP,
): Steps<Mapped[]> {
  const mapped: Mapped[] = [];
  for (const value of values) {
    mapped.push(map(value));
    if (mapped.length % valuesPerStep === 0) yield;
  }
  return mapped;
}

/** Like `Array.prototype.map`, but yields to the event loop. */
export const mapInTurns = <Value, Mapped>(values: readonly Value[], map: (value: Value) => Mapped): Promise<Mapped[]> =>
  runInTurns(mapInSteps(values, map));
