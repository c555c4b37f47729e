import { DeadlineExceeded } from '../../src/domain/ports/database.ts';
import { type LogBatch, LogUnavailable, type Position, type ReadAll, type Subscribe } from '../../src/domain/ports/event-log.ts';
import type { LogNews } from './log-news.ts';

type Read = (read: ReadAll) => Promise<LogBatch>;

/** The promise's value, or undefined as soon as the signal aborts. Leaves nothing behind on either. */
const unlessAborted = async <Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> =>
  await new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

const passes = (error: unknown): boolean => error instanceof LogUnavailable || error instanceof DeadlineExceeded;

/**
 * Yields what stands after the position, then what comes, until the signal aborts. While the consumer works on a batch the next one is
 * read, and no more than that. While the store is away it waits, and goes on from the last position that it yielded.
 */
export const subscribeTo = async function* (read: Read, news: LogNews, subscribe: Subscribe): AsyncGenerator<LogBatch, void, undefined> {
  const { batchSize, types, signal } = subscribe;
  const begin = (after: Position): { readonly seen: number; readonly batch: Promise<LogBatch> } => {
    const seen = news.count;
    const batch = read({ after, limit: batchSize, ...(types === undefined ? {} : { types }) });
    batch.catch(() => undefined);
    return { seen, batch };
  };
  let after = subscribe.after;
  let ahead: ReturnType<typeof begin> | undefined;
  while (!signal.aborted) {
    const { seen, batch: reading } = ahead ?? begin(after);
    ahead = undefined;
    try {
      const batch = await unlessAborted(reading, signal);
      if (batch === undefined) return;
      if (batch.scannedTo === after) {
        await news.wait(seen, signal);
        continue;
      }
      after = batch.scannedTo;
      // Only while catching up: at the head a read on demand brings more at once.
      if (batch.events.length === batchSize) ahead = begin(after);
      yield batch;
    } catch (error) {
      if (!passes(error)) throw error;
      await news.wait(news.count, signal);
    }
  }
};
