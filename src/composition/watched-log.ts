import type { Clock } from '../domain/ports/clock.ts';
import type { EventLog, LogBatch, Position } from '../domain/ports/event-log.ts';
import { HistorySetBack, type SetBack } from '../domain/ports/history.ts';

/** The newest event that a follower was given, and a read that gives it again. */
interface Newest {
  readonly after: Position;
  readonly types: readonly string[] | undefined;
  readonly position: Position;
  readonly id: string;
}

export interface WatchParts {
  /** The machine's. */
  readonly clock: Clock;
  readonly onSetBack: (setBack: SetBack) => void;
}

/** The log as it is given to those who follow it, and the watch over it. */
export interface WatchedLog<Log> {
  readonly log: Log;
  /** Asks whether the log still has the newest event that was read. Throws what the log throws. */
  look(): Promise<void>;
}

/**
 * Notices that the log has lost what this process has read of it. Every follower is ended with `HistorySetBack`, so that it begins again at
 * its stored checkpoint, and what the log keeps in memory is forgotten.
 */
export const watchHistory = <Log extends EventLog & { forget?(): void }>(log: Log, { clock, onSetBack }: WatchParts): WatchedLog<Log> => {
  let newest: Newest | undefined;
  let ending = new AbortController();

  const remember = (after: Position, types: readonly string[] | undefined, { events }: LogBatch): void => {
    const last = events.at(-1);
    if (last === undefined || (newest !== undefined && newest.position >= last.position)) return;
    newest = { after: events.at(-2)?.position ?? after, types, position: last.position, id: last.id };
  };

  const look = async (): Promise<void> => {
    const known = newest;
    if (known === undefined) return;
    const { after, types } = known;
    const [found] = (await log.readAll({ after, limit: 1, ...(types === undefined ? {} : { types }) })).events;
    if (found?.position === known.position && found.id === known.id) return;
    const head = await log.head();
    log.forget?.();
    newest = undefined;
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
        let { after } = subscribe;
        for await (const batch of log.subscribe({ ...subscribe, signal })) {
          remember(after, subscribe.types, batch);
          after = batch.scannedTo;
          yield batch;
        }
        if (ended.aborted && !subscribe.signal.aborted) throw ended.reason;
      },
    },
    look,
  };
};
