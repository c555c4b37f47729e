import { performance } from 'node:perf_hooks';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Repetition } from '../processors/runtime/jobs.ts';

/** What a process occupies, and how it gives back what it does not use. */
interface ProcessMemory {
  /** Bytes. */
  readonly resident: () => number;
  /** Share of the time since the last call in which the event loop was at work, from 0 to 1. */
  readonly utilization: () => number;
  /** Gives unused memory back to the system. The process does nothing else meanwhile. */
  readonly release: () => void;
}

/** Null where Node was started without `--expose-gc`. */
export function processMemory(): ProcessMemory | null {
  const { gc } = globalThis;
  if (gc === undefined) return null;
  // The first time is that of the start.
  let before = { idle: 0, active: 0, utilization: 0 };
  return {
    resident: () => process.memoryUsage.rss(),
    utilization: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    // Any other collection keeps the free pages for the next burst.
    release: () => gc({ type: 'major', flavor: 'last-resort', execution: 'sync' }),
  };
}

const LOOK_EVERY_MS = 30_000;
/** Share of the time; above it a release would delay answers. */
const AT_REST = 0.1;
const WORTHWHILE_BYTES = 50_000_000;

/**
 * Gives back the memory of a burst of work, such as an import: V8 keeps its pages until it hears that memory is scarce, which Node never
 * tells it. A release takes 0.1 to 0.2 s, so it waits until the process is at rest and has grown since the last release.
 */
export function releasingMemory({ resident, utilization, release }: ProcessMemory, logger: Logger): Repetition {
  let least = 0;
  const run = async (): Promise<void> => {
    const isAtRest = utilization() < AT_REST;
    const before = resident();
    least = Math.min(least, before);
    if (!isAtRest || before - least < WORTHWHILE_BYTES) return;
    release();
    least = resident();
    logger.debug({ before, after: least }, 'gave unused memory back to the system');
  };
  return { what: 'giving memory back', everyMs: LOOK_EVERY_MS, run };
}
