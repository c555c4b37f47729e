import { createSetBacks } from '../../infra/postgresql/set-backs.ts';
import type { HistoryWatch } from '../civic.ts';
import type { ProcessFigures } from '../domain/process-figures.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Transactor } from '../domain/ports/database.ts';
import type { Position } from '../domain/ports/event-log.ts';
import type { SetBack } from '../domain/ports/history.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { OpenLog } from './open-stores.ts';
import { watchHistory } from './watched-log.ts';

export interface HistoryParts {
  readonly log: OpenLog;
  readonly transactor: Transactor;
  /** The machine's. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly figures: ProcessFigures;
}

const LOOK_EVERY_MS = 1_000;

/** The log as the program is given it, and what is done where it has lost history that this process had read. */
export const openHistory = ({
  log,
  transactor,
  clock,
  logger,
  figures,
}: HistoryParts): { readonly log: OpenLog; readonly history: HistoryWatch } => {
  const setBacks = createSetBacks(transactor);
  const unnoted: SetBack[] = [];
  let catchingUpTo: Position | null = null;
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
  const watched = watchHistory(log, { clock, onSetBack });
  const follow = async (passed: (position: Position) => Promise<boolean>): Promise<void> => {
    for (; unnoted.length > 0; unnoted.shift()) await setBacks.note(unnoted[0]!);
    const goal = catchingUpTo;
    if (goal !== null && (await passed(goal)) && catchingUpTo === goal) catchingUpTo = null;
  };
  return {
    log: watched.log,
    history: {
      setBacks,
      catchingUpTo: () => catchingUpTo,
      async watch(passed, signal) {
        while (!signal.aborted) {
          await watched
            .look()
            .catch((error: unknown) => logger.warn({ err: error }, 'whether the log has lost history could not be looked up'));
          await follow(passed).catch((error: unknown) => logger.warn({ err: error }, 'lost history could not be noted yet'));
          await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
        }
      },
    },
  };
};
