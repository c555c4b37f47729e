import { ErasureOverlay } from '../../domain/erasure/erase-from-event.ts';
import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { EventLog, LogBatch, StoredEvent } from '../../domain/ports/event-log.ts';
import { bytesOf, streamEvents } from '../../domain/read-log.ts';
import { ERASURES_STREAM } from '../../domain/streams.ts';
import { isTransient } from '../../domain/retry.ts';

const RETRY_MS = 250;

/**
 * The program uses no other log. A read that begins after the append of an erasure, in any process, returns none of the erased text: it
 * also reads new erasures. A store that rewrites rows needs this only for batches that a subscription holds in memory.
 */
export function withErasures<Log extends EventLog>(log: Log, store: { readonly rewrites: boolean }, clock: Pick<Clock, 'sleep'>): Log {
  const overlay = new ErasureOverlay();
  let waiting: Promise<void> | undefined;
  /** Never joins a read that was already sent: an erasure may have been appended since. */
  const refresh = (): Promise<void> => (waiting ??= readOn());
  const readOn = async (): Promise<void> => {
    // One read for all callers of this turn of the event loop.
    await new Promise(setImmediate);
    waiting = undefined;
    for await (const event of streamEvents(log, ERASURES_STREAM, overlay.revision)) if (event.type === CONTENT_ERASED) overlay.add(event);
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

  const erased = (events: readonly StoredEvent[]): readonly StoredEvent[] => events.map((event) => overlay.apply(event));
  const asErased = async <Result>(read: Promise<Result>, apply: (result: Result) => Result): Promise<Result> => {
    if (store.rewrites) return await read;
    const [result] = await Promise.all([read, refresh()]);
    return apply(result);
  };

  /** Erased texts are shorter: after a page that the log has ended at its limit of bytes it reads on, up to that limit of what it returns. */
  const readStream: EventLog['readStream'] = async (stream, afterRevision, limit) => {
    const page: StoredEvent[] = [];
    for (let from = afterRevision; ; from = page.at(-1)!.revision) {
      const reading = log.readStream(stream, from, limit - page.length);
      page.push(...(await asErased(reading, erased)));
      if (!bytesOf(await reading).isReached || page.length === limit || bytesOf(page).isReached) return page;
    }
  };

  return {
    ...log,
    readStream,
    readLast: (streams) =>
      asErased(log.readLast(streams), (last) => new Map([...last].map(([stream, event]) => [stream, overlay.apply(event)]))),
    readAll: (read) => asErased(log.readAll(read), (batch) => ({ ...batch, events: erased(batch.events) })),
    async *subscribe(subscribe): AsyncGenerator<LogBatch, void, undefined> {
      for await (const batch of log.subscribe(subscribe)) {
        if (batch.events.length === 0) {
          yield batch;
          continue;
        }
        await refreshWithRetries(subscribe.signal);
        if (subscribe.signal.aborted) return;
        yield { ...batch, events: erased(batch.events) };
      }
    },
  };
}
