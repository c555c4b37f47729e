import { type EventMark, hasEvent, lastMarkOf } from '../../../domain/read-log.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { type EventLog, HistorySetBack, type Position, type SetBack } from '../../../domain/ports/event-log.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { ProcessFigures } from '../../../plumbing/process-figures.ts';
import { createGenerationStore } from '../../../infra/postgresql/read-models/generations.ts';
import { createSetBacks } from '../../../infra/postgresql/log/log-position.ts';
import { systemClock } from '../../../infra/system/clock.ts';
import type { OpenStores } from './open-stores.ts';
import { findFarthestLive, ForeignLog, LogSetBack, requireOwnLog } from '../../processors/runtime/own-log.ts';
import type { Settings } from '../settings.ts';

const CHECK_EVERY_MS = 1_000;
const CATCHING_UP = 'the log has lost history; the read models are catching up with what is left';

/** Opens the log for the program and the check for the loss of history that this process has read. */
export function openHistory(
  { log, database }: OpenStores,
  settings: Settings,
  logger: Logger,
  figures: ProcessFigures,
) {
  const setBacks = createSetBacks(database.transactor);
  const generations = createGenerationStore(database.transactor);
  const unrecorded: SetBack[] = [];
  let catchingUpTo: Position | null = null;
  let refusal: string | null = null;
  const onSetBack = (setBack: SetBack): void => {
    const { held, head } = setBack;
    const message =
      'the log has lost history that this process has read; read models and reactors restart at their checkpoints';
    logger.error({ held, head }, message);
    figures.setBacks += 1;
    catchingUpTo = head;
    unrecorded.push(setBack);
  };
  const watched = watchHistory(log, systemClock, onSetBack);
  const recordSetBacks = async (passed: (position: Position) => Promise<boolean>): Promise<void> => {
    for (; unrecorded.length > 0; unrecorded.shift()) await setBacks.note(unrecorded[0]!);
    const goal = catchingUpTo;
    if (goal !== null && (await passed(goal)) && catchingUpTo === goal) catchingUpTo = null;
  };
  const checkOwnLog = async (): Promise<void> => {
    // A log that shares the database with the read models loses history together with them.
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
    // A refused log lacks events that the read models have folded.
    const farthest = refusal === null ? findFarthestLive(await generations.list()) : null;
    if (farthest !== null) watched.remember(farthest.lastEvent);
  };
  const checks = [
    [() => watched.check(), 'could not check whether the log has lost history'],
    [checkOwnLog, 'could not check whether the log has every event that the read models have folded'],
    // A process that follows no log serves events from the read models: it remembers the newest of them.
    [remember, 'could not look up the newest event that the read models have folded'],
  ] as const;
  return {
    log: watched.log,
    history: {
      setBacks,
      /** Returns why the read models do not match the log: they are catching up after a loss of history, or are refused. Null if they match. */
      doubt: (): string | null => refusal ?? (catchingUpTo === null ? null : CATCHING_UP),
      /** Returns why the read models are refused: they contain events that the log has lost. Null if they are not refused. */
      refusal: (): string | null => refusal,
      /** Repeats the checks until the signal aborts. `passed` resolves to true if every read model has passed the position. */
      async watch(passed: (position: Position) => Promise<boolean>, signal: AbortSignal): Promise<void> {
        while (!signal.aborted) {
          for (const [check, failure] of checks)
            await check().catch((error: unknown) => signal.aborted || logger.warn({ err: error }, failure));
          await recordSetBacks(passed).catch((error: unknown) =>
            logger.warn({ err: error }, 'could not record the loss of history yet; trying again'),
          );
          await systemClock.sleep(CHECK_EVERY_MS, signal).catch(() => undefined);
        }
      },
    },
  };
}

/**
 * Detects that the log has lost an event that this process has read. Every subscription then ends with `HistorySetBack`, so that its
 * processor restarts at its checkpoint, and the log drops its cached events.
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
    const latest = newest;
    if (met !== null || latest === null || (await hasEvent(log, latest))) return met;
    return new HistorySetBack(latest.position, latest.id);
  };

  const check = async (): Promise<void> => {
    const ended = ending;
    const setBack = await findSetBack();
    if (setBack === null) return;
    const head = await log.head();
    // A concurrent check might have found the loss already.
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
          // If the store is unavailable, the next check finds the loss.
          check().catch(() => undefined);
        }
        throw error;
      }
      if (ended.aborted && !subscribe.signal.aborted) throw ended.reason;
    },
  };
  return { log: watched, remember, check };
}
