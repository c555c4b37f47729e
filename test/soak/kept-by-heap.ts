import { appendFileSync } from 'node:fs';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** One line of the file. */
export interface HeapUsage {
  readonly pid: number;
  /** Seconds since the process began. */
  readonly age: number;
  /** Bytes of the heap without the young generation, and of external buffers. */
  readonly keptMb: number;
}

/** Buffers of collected objects are freed a little later. */
const SETTLES_MS = 500;

function tell(file: string): void {
  const spaces = getHeapSpaceStatistics().filter(
    ({ space_name: name }) => name !== 'new_space' && name !== 'new_large_object_space',
  );
  const heap = spaces.reduce((total, { space_used_size: used }) => total + used, 0);
  const usage: HeapUsage = {
    pid: process.pid,
    age: process.uptime(),
    keptMb: (heap + process.memoryUsage().external) / 2 ** 20,
  };
  appendFileSync(file, `${JSON.stringify(usage)}\n`);
}

/**
 * Loaded before a process's own code (`--import`): writes to the file what remains after each full collection of the
 * heap. It never triggers a collection itself, except on SIGWINCH, which the fuzzer sends between two batches.
 */
const file = process.env['SOAK_MEMORY_FILE'];
if (file !== undefined) {
  new PerformanceObserver((list) => {
    const kinds = list
      .getEntries()
      .map((entry) => (entry as unknown as { readonly detail: { readonly kind: number } }).detail.kind);
    if (kinds.includes(constants.NODE_PERFORMANCE_GC_MAJOR)) setTimeout(tell, SETTLES_MS, file).unref();
  }).observe({ entryTypes: ['gc'] });
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGWINCH', () => collect());
}
