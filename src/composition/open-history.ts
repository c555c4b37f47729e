import { type EventMark, hasEvent, lastMarkOf } from '../../domain/read-log.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { type EventLog, HistorySetBack, type Position, type SetBack } from '../../domain/ports/event-log.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { ProcessFigures } from '../../domain/process-figures.ts';
import { createGenerationStore } from '../../infra/postgresql/generations.ts';
import { createSetBacks } from '../../infra/postgresql/log-position.ts';
import { systemClock } from '../../infra/system/clock.ts';
import type { OpenStores } from './open-stores.ts';
import { farthestOfLive, ForeignLog, LogSetBack, requireOwnLog } from '../processors/runtime/own-log.ts';
import type { Settings } from '../settings.ts';

const LOOK_EVERY_MS = 1_000;
const CATCHING_UP = 'the log has lost history; the read models catch up with what it has now';

/** The log for the program, and the watch that notices when it has lost history that this process has read. */
export function openHistory({ log, database }: OpenStores, settings: Settings, logger: Logger, figures: ProcessFigures) {
  const setBacks = createSetBacks(database.transactor);
  const generations = createGenerationStore(database.transactor);
  const unnoted: SetBack[] = [];
  let catchingUpTo: Position | null = null;
  let refusal: string | null = null;
  const onSetBack = (setBack: SetBack): void => {
    const { held, head } = setBack;
    const message = 'the log has lost history that was served from here; read models and reactors begin again at their checkpoints';
    logger.error({ held, head }, message);
    figures.setBacks += 1;
    catchingUpTo = head;
    unnoted.push(setBack);
  };
  const watched = watchHistory(log, systemClock, onSetBack);
  const follow = async (passed: (position: Position) => Promise<boolean>): Promise<void> => {
    for (; unnoted.length > 0; unnoted.shift()) await setBacks.note(unnoted[0]!);
    const goal = catchingUpTo;
    if (goal !== null && (await passed(goal)) && catchingUpTo === goal) catchingUpTo = null;
  };
  const prove = async (): Promise<void> => {
    // A log in the database of the read models is set back together with them.
    if (settings.EVENTSTORE_URL === undefined) return;
    try {
      await requireOwnLog(generations, log);
      refusal = null;
    } catch (error) {
      if (!(error instanceof LogSetBack || error instanceof ForeignLog)) throw error;
      if (refusal === null) logger.error({}, error.message);
      refusal = error.message;
    }
  };
  const remember = async (): Promise<void> => {
    // A refused log does not have what the read models have seen.
    const farthest = refusal === null ? farthestOfLive(await generations.list()) : null;
    if (farthest !== null) watched.remember(farthest.lastEvent);
  };
  const looks = [
    [() => watched.look(), 'whether the log has lost history could not be looked up'],
    [prove, 'whether the log has what the read models have seen could not be looked up'],
    // A process without a follower has read what the read models hold.
    [remember, 'what the read models have seen could not be looked up'],
  ] as const;
  return {
    log: watched.log,
    history: {
      setBacks,
      /** Null, or why the read models do not match the log: they catch up after a loss of history, or are refused. */
      doubt: (): string | null => refusal ?? (catchingUpTo === null ? null : CATCHING_UP),
      /** Null, or why the read models are refused: they contain events that the log has lost. */
      refusal: (): string | null => refusal,
      /** Compares until the signal aborts; `passed` resolves whether every read model has passed the position. */
      async watch(passed: (position: Position) => Promise<boolean>, signal: AbortSignal): Promise<void> {
        while (!signal.aborted) {
          for (const [look, failure] of looks)
            await look().catch((error: unknown) => signal.aborted || logger.warn({ err: error }, failure));
          await follow(passed).catch((error: unknown) => logger.warn({ err: error }, 'lost history could not be noted yet'));
          await systemClock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
        }
      },
    },
  };
}

/**
 * Notices that the log has lost an event that this process has read. Every subscription then ends with `HistorySetBack`, so that its
 * processor restarts at its checkpoint, and the log drops what it holds in memory.
 */
export function watchHistory<Log extends EventLog & { forget(): void }>(
  log: Log,
  clock: Pick<Clock, 'now'>,
  onSetBack: (setBack: SetBack) => void,
) {
  let newest: EventMark | null = null;
  /** Thrown by a subscription since the last check. */
  let met: HistorySetBack | null = null;
  let ending = new AbortController();

  const remember = (mark: EventMark): void => {
    if (newest === null || newest.position < mark.position) newest = mark;
  };

  const findSetBack = async (): Promise<HistorySetBack | null> => {
    const known = newest;
    if (met !== null || known === null || (await hasEvent(log, known))) return met;
    return new HistorySetBack(known.position, known.id);
  };

  const look = async (): Promise<void> => {
    const ended = ending;
    const setBack = await findSetBack();
    if (setBack === null) return;
    const head = await log.head();
    // A concurrent check may have found the loss already.
    if (ended !== ending) return;
    log.forget();
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
