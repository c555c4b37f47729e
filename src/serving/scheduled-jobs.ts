import type { Civic } from '../civic.ts';
import { type Repetition, runIfDue } from '../processors/runtime/jobs.ts';
import { does, type ServeRole } from '../processors/roles.ts';

/** Milliseconds between two attempts to take a job over. */
const LOOK_EVERY_MS = 5_000;

/** The jobs of a process of this role, until the signal aborts. */
export function scheduledJobs(civic: Civic, role: ServeRole, signal: AbortSignal): readonly Repetition[] {
  const parts = { store: civic.processorStore, ...civic.projectorDependencies };
  return civic.jobs
    .filter(({ work }) => does(role, work))
    .map(({ what, everyMs, lease, run }) =>
      lease === null
        ? { what, everyMs, run: async () => void (await run(signal)) }
        : {
            what,
            everyMs: LOOK_EVERY_MS,
            run: () => runIfDue(parts, { name: lease, everyMs, run: async (mine) => void (await run(mine)) }, signal),
          },
    );
}
