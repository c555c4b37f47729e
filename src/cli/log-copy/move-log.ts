import type { Clock } from '../../domain/ports/clock.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { type LogMoves, StillHeld } from '../../domain/ports/log-moves.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { CommandFailed } from '../context.ts';
import { compareLogs, type Compared } from './compare-logs.ts';
import { copyEvents, type Copied } from './copy-events.ts';
import { eventsOf } from './log-pages.ts';

export interface Moving {
  readonly source: EventLog;
  readonly target: EventLog;
  readonly moves: LogMoves;
  readonly projections: readonly Projection[];
  readonly leaseClock: Clock;
  /** Which of the two is in the database of the read models. */
  readonly here: 'source' | 'target' | 'neither';
  readonly signal: AbortSignal;
  readonly onProgress: (events: number) => void;
}

export interface Moved {
  readonly found: number;
  readonly copied: number;
  /** Events of the log when it was compared; null while somebody still follows the source. */
  readonly events: number | null;
  readonly digest: string | null;
  /** Whether checkpoints were written anew, so that the target is the log from now on. */
  readonly switched: boolean;
  /** Who runs read models or reactors and must be stopped first. */
  readonly heldBy: readonly string[];
}

/** Copies, and where nobody follows the source any more compares both logs and puts every read model and reactor on the target. */
export const moveLog = async (moving: Moving): Promise<Moved> => {
  const { source, moves, leaseClock } = moving;
  let total: Copied = { found: 0, copied: 0 };
  const copyOn = async (): Promise<void> => {
    const { found, copied } = await copyEvents({ ...moving, source: eventsOf(source, moving.signal) });
    total = total.copied === 0 ? { found, copied } : { found: total.found, copied: total.copied + copied };
  };
  await copyOn();
  const stillHeld = async (heldBy: readonly string[]): Promise<Moved> => ({
    ...total,
    events: null,
    digest: null,
    switched: false,
    heldBy,
  });
  for (;;) {
    const heldBy = await moves.held(leaseClock.now());
    if (heldBy.length > 0) return await stillHeld(heldBy);
    const compared = await compare(moving);
    try {
      if (await switchTo(moving, compared)) {
        return { ...total, events: compared.events, digest: compared.digest, switched: true, heldBy: [] };
      }
    } catch (error) {
      if (error instanceof StillHeld) return await stillHeld(error.message.split(', '));
      throw error;
    }
    if ((await source.head()) === compared.end) throw new CommandFailed('the source changed and did not grow');
    await copyOn();
  }
};

const compare = async ({ source, target, moves, projections, signal, onProgress }: Moving): Promise<Compared> => {
  const identity = await source.identity();
  const wanted = new Set(identity === null ? [] : await moves.checkpoints(identity));
  const withPositions = projections.filter((projection) => projection.positionColumns !== undefined);
  const wantedTypes = new Set(withPositions.flatMap(({ handles }) => handles));
  return await compareLogs({ source, target, signal, onProgress, wanted, wantedTypes });
};

const switchTo = async ({ source, target, moves, projections, leaseClock, here }: Moving, compared: Compared): Promise<boolean> => {
  const [from, to] = await Promise.all([source.identity(), target.identity()]);
  if (from === null || to === null) throw new CommandFailed('there is nothing to copy: the log is empty');
  const generations = await moves.generations(from);
  const columns = generations.flatMap(
    ({ projection, generation }) => projections.find(({ name }) => name === projection)?.positionColumns?.(generation) ?? [],
  );
  const isComplete = async (): Promise<boolean> => (await source.head()) === compared.end;
  return await moves.move({ from, to, places: compared.places, columns, pairs: compared.pairs, here, now: leaseClock.now(), isComplete });
};
