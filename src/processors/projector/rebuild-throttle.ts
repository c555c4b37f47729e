import type { ProjectorDependencies } from './fold-batch.ts';

/** Transactions a second of an idle service. */
const IDLE_TRANSACTIONS = 60;
const LOOK_EVERY_MS = 1_000;

export type TrafficWatch = ReturnType<typeof createTrafficWatch>;

/** Whether others use the database, as it was a second ago. */
export function createTrafficWatch({ traffic, leaseClock }: Pick<ProjectorDependencies, 'traffic' | 'leaseClock'>) {
  let busy = false;
  let own = 0;
  let last: { readonly at: number; readonly transactions: number } | undefined;
  return {
    /** False until a second has been measured. */
    get busy() {
      return busy;
    },
    countOwn: (transactions: number): void => void (own += transactions),
    /** Reads again when the last read is a second old; without an answer of the database all stays as it was. */
    look: async (): Promise<void> => {
      const at = leaseClock.now();
      if (last !== undefined && at - last.at < LOOK_EVERY_MS) return;
      const transactions = await traffic.transactions().catch(() => null);
      if (transactions === null) return;
      if (last !== undefined) busy = ((transactions - last.transactions - own) * 1000) / (at - last.at) > IDLE_TRANSACTIONS;
      last = { at, transactions };
      own = 0;
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
/** One that reads the log, one that folds. */
const TRANSACTIONS_A_BATCH = 2;

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
      watch.countOwn(TRANSACTIONS_A_BATCH);
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
