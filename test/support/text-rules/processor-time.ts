/** A busy machine doubles the processor time of most attempts. A fast rule needs one attempt. */
const ATTEMPTS = 40;

/** Milliseconds of processor time of this thread, at best: other programs on the machine do not count. */
export function processorTime(run: () => unknown, enough: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && best > enough; attempt += 1) {
    const before = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}
