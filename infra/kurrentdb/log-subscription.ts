import { DeadlineExceeded } from '../../src/domain/ports/database.ts';
import { type LogBatch, LogUnavailable, type Position, type ReadAll, type Subscribe } from '../../src/domain/ports/event-log.ts';
import type { LogTail } from './log-tail.ts';

type Read = (read: ReadAll) => Promise<LogBatch>;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** The promise's value, or undefined as soon as the signal aborts. Leaves nothing behind on either. */
const unlessAborted = async <Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> =>
  await new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

const pausing = async (milliseconds: number, signal: AbortSignal): Promise<void> =>
  await unlessAborted(new Promise<void>((resolve) => void setTimeout(resolve, milliseconds)), signal);

const passes = (error: unknown): boolean => error instanceof LogUnavailable || error instanceof DeadlineExceeded;

/**
 * Yields what stands after the position, read page by page with the server's filter, and from the head on what the tail hears, until the
 * signal aborts. While the consumer works on a page the next one is read, and no more than that. While the store is away it waits, with
 * growing pauses, and goes on from the last position that it yielded.
 */
export const subscribeTo = async function* (read: Read, tail: LogTail, subscribe: Subscribe): AsyncGenerator<LogBatch, void, undefined> {
  const { batchSize, types, signal } = subscribe;
  const from = (after: Position): ReadAll => ({ after, limit: batchSize, ...(types === undefined ? {} : { types }) });
  const begin = (after: Position): Promise<LogBatch> => {
    const reading = read(from(after));
    reading.catch(() => undefined);
    return reading;
  };
  let after = subscribe.after;
  let ahead: Promise<LogBatch> | undefined;
  let silent = false;
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      const heard = ahead === undefined ? tail.take(from(after)) : undefined;
      const isHeard = heard !== undefined && heard.scannedTo > after;
      const batch = isHeard ? heard : await unlessAborted(ahead ?? begin(after), signal);
      ahead = undefined;
      if (batch === undefined) return;
      pause = FIRST_PAUSE_MS;
      if (batch.scannedTo === after) {
        silent = await tail.wait(after, signal);
        continue;
      }
      if (silent && !isHeard) tail.distrust(batch.scannedTo);
      silent = false;
      after = batch.scannedTo;
      // Only while catching up: at the head the tail brings more at once.
      if (!isHeard && batch.events.length === batchSize) ahead = begin(after);
      yield batch;
    } catch (error) {
      ahead = undefined;
      if (!passes(error)) throw error;
      await pausing(pause, signal);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
  }
};
