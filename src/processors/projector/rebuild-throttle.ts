import type { ProjectorDependencies } from './dependencies.ts';
import type { TrafficWatch } from './traffic-watch.ts';

/** Events of a batch without other load, and the fewest under load. */
const QUIET_BATCH = 500;
const LEAST_BATCH = 100;
/** While there is other activity, a batch takes about so long, and a rest of this multiple follows. */
const BUSY_BATCH_MS = 40;
const REST = 1;
const MAX_REST_MS = 1_000;
/** One that reads the log, one that folds. */
const TRANSACTIONS_A_BATCH = 2;

export interface RebuildThrottle {
  /** Events of the next batch. */
  readonly batchSize: number;
  /** To be called after each batch with the time that it took: rests where others use the database. */
  rest(events: number, tookMs: number): Promise<void>;
}

/**
 * How fast a rebuild may go beside readers and writers: as fast as it can while the database has no other load, else in short batches with
 * rests between them that grow with what a batch takes, so that a busier machine is left alone the longer.
 */
export function createRebuildThrottle(
  { leaseClock, batchSize: most }: Pick<ProjectorDependencies, 'leaseClock' | 'batchSize'>,
  watch: TrafficWatch,
  signal: AbortSignal,
): RebuildThrottle {
  const quiet = Math.min(most, QUIET_BATCH);
  const least = Math.min(most, LEAST_BATCH);
  let batchSize = watch.busy ? least : quiet;
  return {
    get batchSize() {
      return batchSize;
    },
    async rest(events, tookMs) {
      watch.own(TRANSACTIONS_A_BATCH);
      await watch.look();
      if (!watch.busy) {
        batchSize = quiet;
        return;
      }
      const fitting = Math.round((Math.max(1, events) * BUSY_BATCH_MS) / Math.max(1, tookMs));
      batchSize = Math.max(least, Math.min(quiet, batchSize * 2, fitting));
      await leaseClock.sleep(Math.min(MAX_REST_MS, tookMs * REST), signal);
    },
  };
}
