import { Backoff, isTransient } from '../../plumbing/retry.ts';
import type { LogBatch, ReadAll, StoredEvent, Subscribe } from '../../domain/ports/event-log.ts';
import { ByteLimit } from '../../domain/read-log.ts';
import { systemClock } from './clock.ts';

export interface FollowedReads {
  read(read: ReadAll): Promise<LogBatch>;
  /**
   * Resolves when the log may have grown since the last read began, after the poll interval, or when the signal aborts.
   */
  untilGrown(signal: AbortSignal): Promise<void>;
}

/** Returns the first events of the requested types within `limit` and the byte limit, and how far it scanned. */
export function pickEvents(events: readonly StoredEvent[], { after, afterId, limit, types }: ReadAll): LogBatch {
  const requestedTypes = types === undefined ? undefined : new Set(types);
  const picked: StoredEvent[] = [];
  const bytes = new ByteLimit();
  let scannedTo = after;
  let scannedId = afterId;
  for (const event of events) {
    if (picked.length === limit || bytes.isReached) break;
    if (requestedTypes === undefined || requestedTypes.has(event.type)) {
      picked.push(event);
      bytes.add(event.data);
    }
    scannedTo = event.position;
    scannedId = event.id;
  }
  return { events: picked, scannedTo, scannedId, isCut: bytes.isReached };
}

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/** Resolves to the value of the promise, or to undefined once the signal aborts. */
const unlessAborted = async <Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> =>
  await new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

/**
 * Yields the events after a position, then each new one, until the signal aborts. Reads one batch ahead while it
 * catches up. While the store is unreachable, it retries from the last yielded position with growing pauses. Throws
 * `HistorySetBack` if a batch does not continue the previous one, and all other errors of a read.
 */
export async function* subscribeTo(
  reads: FollowedReads,
  subscribe: Subscribe,
): AsyncGenerator<LogBatch, void, undefined> {
  const { batchSize, types, signal } = subscribe;
  const begin = (): Promise<LogBatch> => {
    const batch = reads.read({ after, afterId, limit: batchSize, ...(types === undefined ? {} : { types }) });
    batch.catch(() => undefined);
    return batch;
  };
  let { after, afterId } = subscribe;
  let ahead: Promise<LogBatch> | undefined;
  const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
  while (!signal.aborted) {
    const reading = ahead ?? begin();
    ahead = undefined;
    try {
      const batch = await unlessAborted(reading, signal);
      if (batch === undefined) return;
      backoff.reset();
      afterId = batch.scannedId;
      if (batch.scannedTo === after) {
        await reads.untilGrown(signal);
        continue;
      }
      after = batch.scannedTo;
      // Read ahead only while catching up: at the head, a later read returns more events.
      if (batch.events.length === batchSize || batch.isCut === true) ahead = begin();
      yield batch;
    } catch (error) {
      if (!isTransient(error)) throw error;
      await systemClock.sleep(backoff.take(), signal).catch(() => undefined);
    }
  }
}
