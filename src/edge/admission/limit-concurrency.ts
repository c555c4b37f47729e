import type { Clock } from '../../../domain/ports/clock.ts';
import { Rejection } from '../../../domain/rejections.ts';

const RETRY_AFTER_SECONDS = 1;

interface ConcurrencyLimit {
  /** Names the limited work in refusals, such as `searches of this account`. */
  readonly what: string;
  /** Number of tasks of one account or address that may run at a time. */
  readonly concurrency: number;
  readonly maxWaiting: number;
  /** Milliseconds. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
}

/**
 * Registers a function to call with the reason once the caller stops waiting. Cheaper than an `AbortSignal` per wait.
 */
type Leaving = (leave: (reason: unknown) => void) => void;

export const leaveOnAbort =
  (signal: AbortSignal): Leaving =>
  (leave) => {
    if (signal.aborted) leave(signal.reason);
    else signal.addEventListener('abort', () => leave(signal.reason), { once: true });
  };

/** Limits how many tasks of one account or address run at a time, so that one account never delays another. */
export function limitConcurrency({ what, concurrency, maxWaiting, maxWaitMs, clock }: ConcurrencyLimit) {
  const createRefusal = (): Rejection =>
    new Rejection('rate_limited', `too many ${what} run at once`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  /** Tasks by account or address. Waiting tasks start in order of arrival, each when a running one ends. */
  const clients = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  async function waitForTurn(waiting: (() => void)[], leaving: Leaving): Promise<void> {
    if (waiting.length >= maxWaiting) throw createRefusal();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push(resolve);
    const giveUp = (reason: unknown): void => {
      const place = waiting.indexOf(resolve);
      if (place === -1) return;
      waiting.splice(place, 1);
      reject(reason);
    };
    const waitEnded = new AbortController();
    leaving(giveUp);
    clock.sleep(maxWaitMs, waitEnded.signal).then(
      () => giveUp(createRefusal()),
      () => undefined,
    );
    await promise.finally(() => waitEnded.abort());
  }
  /**
   * Runs the task when it is its turn. Throws `rate_limited` if too many tasks wait or one waits too long, and the
   * reason from `leaving` if the caller leaves.
   */
  return async <Result>(clientId: string, leaving: Leaving, work: () => Promise<Result>): Promise<Result> => {
    const client = clients.get(clientId) ?? { running: 0, waiting: [] };
    clients.set(clientId, client);
    if (client.running < concurrency) client.running += 1;
    else await waitForTurn(client.waiting, leaving);
    try {
      return await work();
    } finally {
      const next = client.waiting.shift();
      if (next !== undefined) next();
      else {
        client.running -= 1;
        if (client.running === 0) clients.delete(clientId);
      }
    }
  };
}
