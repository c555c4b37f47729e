import { setTimeout as after } from 'node:timers/promises';
import { STALL_MS } from './until-reached.ts';

function open(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/**
 * Runs the work and throws if a socket, timer or file that it opened would keep a process alive. Use it in a test that
 * runs nothing else.
 */
export async function leavingNothingOpen<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = open();
  const result = await work();
  const leaks = (): readonly string[] =>
    [...open()].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind, count]) => `${kind} ${count}`);
  const deadline = performance.now() + STALL_MS;
  // The wait is itself a timer, so the check runs between two waits.
  while (leaks().length > 0) {
    if (performance.now() > deadline)
      throw new Error(`a process would not have ended, it had this open: ${leaks().join(', ')}`);
    await after(2);
  }
  return result;
}
