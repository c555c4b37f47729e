import type { Clock } from '../../domain/ports/clock.ts';
import { type EventMark, hasEvent, lastMarkOf } from '../../domain/event-mark.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { HistorySetBack, type SetBack } from '../../domain/ports/history.ts';

/**
 * Notices that the log has lost an event that this process has read. Every subscription then ends with `HistorySetBack`, so that its
 * processor restarts at the stored checkpoint, and the log drops what it holds in memory.
 */
export function watchHistory<Log extends EventLog & { forget?(): void }>(
  log: Log,
  clock: Pick<Clock, 'now'>,
  onSetBack: (setBack: SetBack) => void,
) {
  let newest: EventMark | null = null;
  /** What a subscription has met. */
  let met: HistorySetBack | null = null;
  let ending = new AbortController();

  /** Stores an event of the log as the newest one read, if it is. */
  const remember = (mark: EventMark): void => {
    if (newest === null || newest.position < mark.position) newest = mark;
  };

  const findSetBack = async (): Promise<HistorySetBack | null> => {
    const known = newest;
    if (met !== null || known === null || (await hasEvent(log, known))) return met;
    return new HistorySetBack(known.position, known.id);
  };

  /** Checks that no subscription has met another history, and that the log has the remembered event. Throws what the log throws. */
  const look = async (): Promise<void> => {
    const ended = ending;
    const setBack = await findSetBack();
    if (setBack === null) return;
    const head = await log.head();
    // A concurrent check may have found the loss already.
    if (ended !== ending) return;
    log.forget?.();
    newest = null;
    met = null;
    ending = new AbortController();
    ended.abort(setBack);
    onSetBack({ held: setBack.held, head, noticedAt: clock.now() });
  };

  const watched: Log = {
    ...log,
    async *subscribe(subscribe) {
      const { signal: ended } = ending;
      const signal = AbortSignal.any([subscribe.signal, ended]);
      try {
        for await (const batch of log.subscribe({ ...subscribe, signal })) {
          const last = lastMarkOf(batch.events);
          if (last !== null) remember(last);
          yield batch;
        }
      } catch (error) {
        if (error instanceof HistorySetBack && !ended.aborted) {
          met ??= error;
          // Where the store is unavailable, the next check does it.
          look().catch(() => undefined);
        }
        throw error;
      }
      if (ended.aborted && !subscribe.signal.aborted) throw ended.reason;
    },
  };
  return { log: watched, remember, look };
}
