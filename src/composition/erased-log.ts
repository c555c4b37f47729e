import { ErasureOverlay } from '../domain/erasure/overlay.ts';
import { CONTENT_ERASED } from '../domain/events/erasure-events.ts';
import type { Clock } from '../domain/ports/clock.ts';
import { DeadlineExceeded } from '../domain/ports/database.ts';
import { type EventLog, type LogBatch, LogUnavailable, type StoredEvent } from '../domain/ports/event-log.ts';
import { ERASURES_STREAM } from '../domain/streams.ts';

const PAGE = 100;
const RETRY_MS = 250;

const passes = (error: unknown): boolean => error instanceof LogUnavailable || error instanceof DeadlineExceeded;

/**
 * The log with every erasure applied, which is the only one that the program is given. A read that begins after an erasure was appended, in
 * whatever process, gives none of the erased text: with each read, not before it, the stream of erasures is asked for what is new. Where the
 * store rewrites its rows, reads are as they are; only what a follower is handed from memory is looked at.
 */
export const withErasures = <Log extends EventLog>(log: Log, store: { readonly rewrites: boolean }, clock: Pick<Clock, 'sleep'>): Log => {
  const overlay = new ErasureOverlay();
  let waiting: Promise<void> | undefined;

  /** Never joins a question that has been sent: an erasure may have come since. */
  const refresh = (): Promise<void> => {
    waiting ??= readOn();
    return waiting;
  };
  const readOn = async (): Promise<void> => {
    // For all who ask in one turn.
    await Promise.resolve();
    waiting = undefined;
    for (;;) {
      const page = await log.readStream(ERASURES_STREAM, overlay.revision, PAGE);
      for (const event of page) if (event.type === CONTENT_ERASED) overlay.add(event);
      if (page.length < PAGE) return;
    }
  };

  const refreshPatiently = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await refresh();
      } catch (error) {
        if (!passes(error)) throw error;
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

  return {
    ...log,
    readStream: (stream, afterRevision, limit) => asErased(log.readStream(stream, afterRevision, limit), erased),
    readLast: (streams) =>
      asErased(log.readLast(streams), (last) => new Map([...last].map(([stream, event]) => [stream, overlay.apply(event)]))),
    readAll: (read) => asErased(log.readAll(read), (batch) => ({ ...batch, events: erased(batch.events) })),
    async *subscribe(subscribe): AsyncGenerator<LogBatch, void, undefined> {
      for await (const batch of log.subscribe(subscribe)) {
        if (batch.events.length === 0) {
          yield batch;
          continue;
        }
        await refreshPatiently(subscribe.signal);
        if (subscribe.signal.aborted) return;
        yield { ...batch, events: erased(batch.events) };
      }
    },
  };
};
