import type { Clock } from '../../../domain/ports/clock.ts';
import { Rejection } from '../../../domain/rejections.ts';

/** Five whole batches. */
const MAX_WAITING = 100;
const MAX_WAIT_MS = 1_000;
const AGAIN_SECONDS = 1;

export type SearchLimit = ReturnType<typeof createSearchLimit>;

const refused = (): Rejection =>
  new Rejection('rate_limited', 'too many searches of this account run at once', { retryAfterSeconds: AGAIN_SECONDS });

/** Limits the searches of one account at once: they never wait for those of another. */
export function createSearchLimit({ concurrency, clock }: { readonly concurrency: number; readonly clock: Clock }) {
  /** By account; the waiting are in order of arrival, and each begins when a running search ends. */
  const accounts = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  async function wait(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
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
  }
  /** Throws the `Rejection` `rate_limited` where too many searches wait, or wait for too long. */
  return async <Result>(accountId: string, signal: AbortSignal, search: () => Promise<Result>): Promise<Result> => {
    const account = accounts.get(accountId) ?? { running: 0, waiting: [] };
    accounts.set(accountId, account);
    if (account.running < concurrency) account.running += 1;
    else await wait(account.waiting, signal);
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
