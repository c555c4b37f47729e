/**
 * Runs `work` for each input: platforms at the same time, and the clients of one platform, which share its servers, one
 * after another. An error ends the work of its platform and is thrown once the other platforms have ended.
 */
export async function eachByPlatform<Input extends { readonly source: string }>(
  inputs: readonly Input[],
  work: (input: Input) => Promise<void>,
): Promise<void> {
  const platforms = Map.groupBy(inputs, ({ source }) => source);
  const runs = [...platforms.values()].map(async (ofPlatform) => {
    for (const input of ofPlatform) await work(input);
  });
  for (const outcome of await Promise.allSettled(runs)) if (outcome.status === 'rejected') throw outcome.reason;
}
