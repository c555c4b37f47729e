const READERS = 4;

/** Runs `work` for each input, a few at a time. After an error no further input starts; the error is thrown once the running ones have ended. */
export async function runConcurrently<Input>(
  inputs: readonly Input[],
  work: (input: Input) => Promise<void>,
): Promise<void> {
  function* each() {
    yield* inputs;
  }
  const shared = each();
  const run = async (): Promise<void> => {
    // An error ends the loop, which closes the generator for the other loops too.
    for (const input of shared) await work(input);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: READERS }, run));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
