import type { Clock } from '../../domain/ports/clock.ts';
import { type EventMark, hasEvent, lastMarkOf } from '../../domain/event-mark.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { HistorySetBack, type SetBack } from '../../domain/ports/history.ts';

/** A log, and the check of what was read from it. */
export interface WatchedLog<Log> {
  readonly log: Log;
  /** Remembers an event of the log, if it is newer than the remembered one. */
  remember(mark: EventMark): void;
  /** Checks that the log still has the remembered event. Throws what the log throws. */
  look(): Promise<void>;
}

/**
 * Notices that the log has lost an event that this process has read. Every subscription then ends with `HistorySetBack`, so that its
 * processor restarts at the stored checkpoint, and the log drops what it holds in memory.
 */
export const watchHistory = <Log extends EventLog & { forget?(): void }>(
  log: Log,
  clock: Pick<Clock, 'now'>,
  onSetBack: (setBack: SetBack) => void,
): WatchedLog<Log> => {
  let newest: EventMark | null = null;
  let ending = new AbortController();

  const remember = (mark: EventMark): void => {
    if (newest === null || newest.position < mark.position) newest = mark;
  };

  const look = async (): Promise<void> => {
    const known = newest;
    if (known === null || (await hasEvent(log, known))) return;
    const head = await log.head();
    log.forget?.();
    newest = null;
    const ended = ending;
    ending = new AbortController();
    ended.abort(new HistorySetBack(`the log has lost what was read up to ${known.position}: its head is ${head}`));
    onSetBack({ held: known.position, head, noticedAt: clock.now() });
  };

  return {
    log: {
      ...log,
      async *subscribe(subscribe) {
        const { signal: ended } = ending;
        const signal = AbortSignal.any([subscribe.signal, ended]);
        for await (const batch of log.subscribe({ ...subscribe, signal })) {
          const last = lastMarkOf(batch.events);
          if (last !== null) remember(last);
          yield batch;
        }
        if (ended.aborted && !subscribe.signal.aborted) throw ended.reason;
      },
    },
    remember,
    look,
  };
};
