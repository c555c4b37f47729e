/** Runs the closers one after another; each runs although others fail. Then throws the first error. */
export async function closeAll(closers: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const closer of closers) await closer().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
