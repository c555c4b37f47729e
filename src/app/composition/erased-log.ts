import { ErasureOverlay } from '../../../domain/erasure/erase-from-event.ts';
import { CONTENT_ERASED } from '../../../domain/events/erasure-events.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { EventLog, LogBatch, StoredEvent } from '../../../domain/ports/event-log.ts';
import { bytesOf, streamEvents } from '../../../domain/read-log.ts';
import { ERASURES_STREAM } from '../../../domain/streams.ts';
import { isTransient } from '../../../plumbing/retry.ts';

const RETRY_MS = 250;

/**
 * Wraps the log so that a read that begins after an erasure was appended, in any process, returns none of the erased text. Each read also
 * reads new erasures. A store that rewrites rows needs this only for batches that a subscription has in memory. The program uses no other log.
 */
export function withErasures<Log extends EventLog>(
  log: Log,
  store: { readonly rewrites: boolean },
  clock: Pick<Clock, 'sleep'>,
): Log {
  const overlay = new ErasureOverlay();
  let waiting: Promise<void> | undefined;
  /** Never joins a read that was already sent: an erasure might have been appended since. */
  const refresh = (): Promise<void> => (waiting ??= readNewErasures());
  const readNewErasures = async (): Promise<void> => {
    // One read serves all callers of this turn of the event loop.
    await new Promise(setImmediate);
    waiting = undefined;
    for await (const event of streamEvents(log, ERASURES_STREAM, overlay.revision))
      if (event.type === CONTENT_ERASED) overlay.add(event);
  };

  const refreshWithRetries = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await refresh();
      } catch (error) {
        if (!isTransient(error)) throw error;
        await clock.sleep(RETRY_MS, signal).catch(() => undefined);
      }
    }
  };

  const eraseFrom = (events: readonly StoredEvent[]): readonly StoredEvent[] =>
    events.map((event) => overlay.apply(event));
  const readErased = async <Result>(read: Promise<Result>, apply: (result: Result) => Result): Promise<Result> => {
    if (store.rewrites) return await read;
    const [result] = await Promise.all([read, refresh()]);
    return apply(result);
  };

  /** Erased texts are shorter: if the log ended a page at its byte limit, this reads on until the returned page reaches that limit. */
  const readStream: EventLog['readStream'] = async (stream, afterRevision, limit) => {
    const page: StoredEvent[] = [];
    for (let from = afterRevision; ; from = page.at(-1)!.revision) {
      const reading = log.readStream(stream, from, limit - page.length);
      for (const event of await readErased(reading, eraseFrom)) page.push(event);
      if (!bytesOf(await reading).isReached || page.length === limit || bytesOf(page).isReached) return page;
    }
  };

  return {
    ...log,
    readStream,
    readLast: (streams) =>
      readErased(
        log.readLast(streams),
        (last) => new Map([...last].map(([stream, event]) => [stream, overlay.apply(event)])),
      ),
    readAll: (read) => readErased(log.readAll(read), (batch) => ({ ...batch, events: eraseFrom(batch.events) })),
    async *subscribe(subscribe): AsyncGenerator<LogBatch, void, undefined> {
      for await (const batch of log.subscribe(subscribe)) {
        if (batch.events.length === 0) {
          yield batch;
          continue;
        }
        await refreshWithRetries(subscribe.signal);
        if (subscribe.signal.aborted) return;
        yield { ...batch, events: eraseFrom(batch.events) };
      }
    },
  };
}
