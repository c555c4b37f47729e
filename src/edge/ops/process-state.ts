import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { OfProcess } from './ops-state.ts';
import type { RecentFigures } from './recent-figures.ts';

const SAMPLED_EVERY_MS = 20;
const NANOSECONDS = 1e9;

export interface ProcessState {
  read(): OfProcess;
  close(): void;
}

/** State of this process. */
export function watchProcess(
  { role, version }: { readonly role: string; readonly version: string },
  recent: Pick<RecentFigures, 'read'>,
): ProcessState {
  const delay = monitorEventLoopDelay({ resolution: SAMPLED_EVERY_MS });
  delay.enable();
  return {
    read() {
      const { rss, heapUsed } = process.memoryUsage();
      const stalledSeconds = Math.max(0, delay.max / NANOSECONDS - SAMPLED_EVERY_MS / 1000);
      delay.reset();
      return {
        role,
        version,
        pid: process.pid,
        uptimeSeconds: process.uptime(),
        residentBytes: rss,
        heapBytes: heapUsed,
        stalledSeconds,
        ...recent.read(),
      };
    },
    close: () => void delay.disable(),
  };
}
