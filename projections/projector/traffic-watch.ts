import type { ProjectorDependencies } from './dependencies.ts';

/** So many transactions a second a service makes that nobody asks anything. */
const IDLE_TRANSACTIONS = 60;
const LOOK_EVERY_MS = 1_000;

/** Whether others use the database, as it was a second ago. */
export interface TrafficWatch {
  /** False until there has been time to tell. */
  readonly busy: boolean;
  /** Transactions of a rebuild: they are nobody else's. */
  own(transactions: number): void;
  /** Looks again when the last look is a second old; where the database does not tell, all stays as it was. */
  look(): Promise<void>;
}

export const createTrafficWatch = ({ traffic, leaseClock }: Pick<ProjectorDependencies, 'traffic' | 'leaseClock'>): TrafficWatch => {
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
};
