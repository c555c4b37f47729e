import type { ProjectorDependencies } from './dependencies.ts';

/** Transactions a second of an idle service. */
const IDLE_TRANSACTIONS = 60;
const LOOK_EVERY_MS = 1_000;

/** Whether others use the database, as it was a second ago. */
export interface TrafficWatch {
  /** False until a second has been measured. */
  readonly busy: boolean;
  /** Transactions of the rebuild itself. */
  own(transactions: number): void;
  /** Reads again when the last read is a second old; without an answer of the database all stays as it was. */
  look(): Promise<void>;
}

export function createTrafficWatch({ traffic, leaseClock }: Pick<ProjectorDependencies, 'traffic' | 'leaseClock'>): TrafficWatch {
  let busy = false;
  let own = 0;
  let last: { readonly at: number; readonly transactions: number } | undefined;
  return {
    get busy() {
      return busy;
    },
    own(transactions) {
      own += transactions;
    },
    async look() {
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
