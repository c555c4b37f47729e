import type { Clock } from '../../../domain/ports/clock.ts';
import { Rejection } from '../../../domain/rejections.ts';

/**
 * Runs a search of the account as soon as fewer of its searches than the limit run. Throws the `Rejection` `rate_limited` where too many wait,
 * or wait for too long.
 */
export type SearchLimit = <Result>(accountId: string, signal: AbortSignal, search: () => Promise<Result>) => Promise<Result>;

export interface SearchLimitParts {
  /** How many searches of one account run at once in this process. */
  readonly concurrency: number;
  readonly clock: Clock;
}

/** Five whole batches. */
const MAX_WAITING = 100;
const MAX_WAIT_MS = 1_000;
const AGAIN_SECONDS = 1;

interface Account {
  running: number;
  /** In order of arrival; each begins when a running search ends. */
  readonly waiting: (() => void)[];
}

const refused = (): Rejection =>
  new Rejection('rate_limited', 'too many searches of this account run at once', { retryAfterSeconds: AGAIN_SECONDS });

/** Limits the searches of each account separately: searches of one account never wait for those of another. */
export function createSearchLimit({ concurrency, clock }: SearchLimitParts): SearchLimit {
  const accounts = new Map<string, Account>();

  const wait = async ({ waiting }: Account, signal: AbortSignal): Promise<void> => {
    if (waiting.length >= MAX_WAITING) throw refused();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push(resolve);
    const giveUp = (reason: unknown): void => {
      const place = waiting.indexOf(resolve);
      if (place === -1) return;
      waiting.splice(place, 1);
      reject(reason);
    };
    const begun = new AbortController();
    clock.sleep(MAX_WAIT_MS, AbortSignal.any([signal, begun.signal])).then(() => giveUp(refused()), giveUp);
    await promise.finally(() => begun.abort());
  };

  return async (accountId, signal, search) => {
    const account = accounts.get(accountId) ?? { running: 0, waiting: [] };
    accounts.set(accountId, account);
    if (account.running < concurrency) account.running += 1;
    else await wait(account, signal);
    try {
      return await search();
    } finally {
      const next = account.waiting.shift();
      if (next !== undefined) next();
      else {
        account.running -= 1;
        if (account.running === 0) accounts.delete(accountId);
      }
    }
  };
}
