import type { ProjectorDependencies } from './fold-batch.ts';

/** More than an idle service makes of them in a second. */
const IDLE_USES = 30;
const LOOK_EVERY_MS = 1_000;

export type TrafficWatch = ReturnType<typeof createTrafficWatch>;

/** Whether others than rebuilds use the database, as it was a second ago. */
export function createTrafficWatch({ traffic, leaseClock }: Pick<ProjectorDependencies, 'traffic' | 'leaseClock'>) {
  let busy = false;
  let last: { readonly at: number; readonly uses: number } | undefined;
  return {
    /** False until a second has been measured. */
    get busy() {
      return busy;
    },
    /** Reads again when the last read is a second old; without an answer of the database all stays as it was. */
    look: async (): Promise<void> => {
      const at = leaseClock.now();
      if (last !== undefined && at - last.at < LOOK_EVERY_MS) return;
      const uses = await traffic.uses().catch(() => null);
      if (uses === null) return;
      if (last !== undefined) busy = ((uses - last.uses) * 1000) / (at - last.at) > IDLE_USES;
      last = { at, uses };
    },
  };
}

/** Events of a batch without other load, and the fewest under load. */
const QUIET_BATCH = 500;
const LEAST_BATCH = 50;
/**
 * While there is other activity, a batch takes about so long, and a rest of this multiple follows: a request waits at most for what one
 * batch does at once, so short batches with short rests keep the slow requests fast.
 */
const BUSY_BATCH_MS = 10;
const REST = 0.5;
const MAX_REST_MS = 1_000;

/** Beside readers and writers a rebuild takes short batches, with rests that grow with the duration of a batch. */
export function createRebuildThrottle(
  { leaseClock, batchSize: max }: Pick<ProjectorDependencies, 'leaseClock' | 'batchSize'>,
  watch: TrafficWatch,
  signal: AbortSignal,
) {
  const [quiet, least] = [Math.min(max, QUIET_BATCH), Math.min(max, LEAST_BATCH)];
  let batchSize = watch.busy ? least : quiet;
  return {
    get batchSize() {
      return batchSize;
    },
    /** To be called after each batch with the time that it took; negative where the clock was set back meanwhile. */
    async rest(events: number, tookMs: number): Promise<void> {
      const took = Math.max(1, tookMs);
      await watch.look();
      if (!watch.busy) {
        batchSize = quiet;
        return;
      }
      const fitting = Math.round((Math.max(1, events) * BUSY_BATCH_MS) / took);
      batchSize = Math.max(least, Math.min(quiet, batchSize * 2, fitting));
      await leaseClock.sleep(Math.min(MAX_REST_MS, took * REST), signal);
    },
  };
}
