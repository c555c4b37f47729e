/**
 * Runs work and measures the longest turn of the event loop meanwhile, in milliseconds of processor time of this thread: a busy machine
 * makes a turn longer, but not more costly.
 */
export async function longestTurn<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly longestMs: number }> {
  let [longestMs, isOver] = [0, false];
  let from = process.threadCpuUsage();
  const measure = (): void => {
    const { user, system } = process.threadCpuUsage(from);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    from = process.threadCpuUsage();
    if (!isOver) setImmediate(measure);
  };
  await new Promise(setImmediate);
  setImmediate(measure);
  try {
    const result = await work();
    await new Promise(setImmediate);
    return { result, longestMs };
  } finally {
    isOver = true;
  }
}
