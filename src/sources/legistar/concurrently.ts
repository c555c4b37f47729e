/** Does the work for each input, at most `width` at a time; the first error stops the rest from starting and is thrown. */
export const concurrently = async <Input>(width: number, inputs: Iterable<Input>, work: (input: Input) => Promise<void>): Promise<void> => {
  const iterator = inputs[Symbol.iterator]();
  let failed = false;
  const run = async (): Promise<void> => {
    while (!failed) {
      const next = iterator.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: width }, run));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
};
