import type { Clock } from '../../../domain/ports/clock.ts';
import { Rejection } from '../../../domain/rejections.ts';

const AGAIN_SECONDS = 1;

interface AtOnceParts {
  /** What is limited, and of which one, as a refusal names it: `searches of this account`. */
  readonly what: string;
  /** Of one account or address. */
  readonly concurrency: number;
  readonly maxWaiting: number;
  /** Milliseconds. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
}

/** Takes what is called, with the reason, when the caller no longer waits. A signal for each wait would cost more than the wait. */
type Leaving = (leave: (reason: unknown) => void) => void;

export const leavingBy =
  (signal: AbortSignal): Leaving =>
  (leave) => {
    if (signal.aborted) leave(signal.reason);
    else signal.addEventListener('abort', () => leave(signal.reason), { once: true });
  };

/** Limits the work of one account or address at once: that of others never waits for it. */
export function limitAtOnce({ what, concurrency, maxWaiting, maxWaitMs, clock }: AtOnceParts) {
  const refused = (): Rejection => new Rejection('rate_limited', `too many ${what} run at once`, { retryAfterSeconds: AGAIN_SECONDS });
  /** By account or address; the waiting are in order of arrival, and each begins when a running one ends. */
  const clients = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  async function wait(waiting: (() => void)[], leaving: Leaving): Promise<void> {
    if (waiting.length >= maxWaiting) throw refused();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push(resolve);
    const giveUp = (reason: unknown): void => {
      const place = waiting.indexOf(resolve);
      if (place === -1) return;
      waiting.splice(place, 1);
      reject(reason);
    };
    const ended = new AbortController();
    leaving(giveUp);
    clock.sleep(maxWaitMs, ended.signal).then(
      () => giveUp(refused()),
      () => undefined,
    );
    await promise.finally(() => ended.abort());
  }
  /** Throws the `Rejection` `rate_limited` where too many wait, or one waits for too long, and the reason that `leaving` gives where the caller leaves. */
  return async <Result>(clientId: string, leaving: Leaving, work: () => Promise<Result>): Promise<Result> => {
    const client = clients.get(clientId) ?? { running: 0, waiting: [] };
    clients.set(clientId, client);
    if (client.running < concurrency) client.running += 1;
    else await wait(client.waiting, leaving);
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
