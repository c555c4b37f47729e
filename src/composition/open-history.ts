import { systemClock } from '../../infra/system/clock.ts';
import { createGenerationStore } from '../../infra/postgresql/generations.ts';
import { createSetBacks } from '../../infra/postgresql/log-position.ts';
import { farthestOfLive, ForeignLog, LogSetBack, requireOwnLog } from '../processors/runtime/own-log.ts';
import type { ProcessFigures } from '../../domain/process-figures.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import type { SetBack } from '../../domain/ports/history.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Settings } from '../settings.ts';
import type { OpenStores } from './open-stores.ts';
import { watchHistory } from './watched-log.ts';

const LOOK_EVERY_MS = 1_000;
const CATCHING_UP = 'the log has lost history; the read models catch up with what it has now';

/** The log for the program, and the watch that notices when it has lost history that this process has read. */
export function openHistory({ log, database }: OpenStores, settings: Settings, logger: Logger, figures: ProcessFigures) {
  const clock = systemClock;
  const setBacks = createSetBacks(database.transactor);
  const generations = createGenerationStore(database.transactor);
  const unnoted: SetBack[] = [];
  let catchingUpTo: Position | null = null;
  let refusal: string | null = null;
  const onSetBack = (setBack: SetBack): void => {
    const { held, head } = setBack;
    logger.error(
      { held, head },
      'the log has lost history that was served from here; read models and reactors begin again at their checkpoints',
    );
    figures.setBacks += 1;
    catchingUpTo = head;
    unnoted.push(setBack);
  };
  const watched = watchHistory(log, clock, onSetBack);
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
      /** The reason why the read models do not match the log (they catch up after a loss of history, or are refused), or null. */
      doubt: (): string | null => refusal ?? (catchingUpTo === null ? null : CATCHING_UP),
      /** The reason why the read models are refused (they contain events that the log has lost), or null. */
      refusal: (): string | null => refusal,
      /** Compares until the signal aborts; `passed` resolves whether every read model has passed the position. */
      async watch(passed: (position: Position) => Promise<boolean>, signal: AbortSignal): Promise<void> {
        while (!signal.aborted) {
          for (const [look, failure] of looks)
            await look().catch((error: unknown) => signal.aborted || logger.warn({ err: error }, failure));
          await follow(passed).catch((error: unknown) => logger.warn({ err: error }, 'lost history could not be noted yet'));
          await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
        }
      },
    },
  };
}
