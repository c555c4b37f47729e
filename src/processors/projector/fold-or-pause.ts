import { type LogBatch, type Position, LogUnavailable } from '../../../domain/ports/event-log.ts';
import type { ProjectorDependencies } from './dependencies.ts';
import { foldBatch, type FoldTarget } from './fold-batch.ts';
import { LeaseLost } from '../../../domain/while-leased.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../../domain/ports/database.ts';

/** SQLSTATE classes and codes that say "try again": connection, resources, operator intervention, serialization, lock not available. */
const TRANSIENT = /^(08|53|57|40|55P03|25P03|58)/;

/** True for a failure of the surroundings, false for one of the event or the fold. */
const isTransient = (error: unknown): boolean => {
  if (error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded || error instanceof LogUnavailable) return true;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return TRANSIENT.test(code) || /^E[A-Z]+$/.test(code);
};

/** A projection met an event that it cannot fold; it is paused with the reason until an operator retries or skips the event. */
export class ProjectionPaused extends Error {
  override readonly name = 'ProjectionPaused';
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;

/**
 * Folds a batch. Failures of the surroundings are waited out, and what met one is tried again in halves: the batch may be more than a busy
 * machine gets done before a deadline. Where the batch itself fails it is folded event by event, and the projection is paused at the one
 * that fails, with everything before it committed.
 */
export const foldOrPause = async (
  deps: ProjectorDependencies,
  target: FoldTarget,
  from: Position,
  batch: LogBatch,
  signal: AbortSignal,
): Promise<Position> => {
  const pieces = [batch];
  let checkpoint = from;
  let pause = FIRST_PAUSE_MS;
  let logged = '';
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    signal.throwIfAborted();
    try {
      checkpoint = await foldBatch(deps, target, checkpoint, piece);
      pause = FIRST_PAUSE_MS;
      logged = '';
    } catch (error) {
      if (error instanceof LeaseLost || signal.aborted) throw error;
      if (isTransient(error)) {
        const { message } = error as Error;
        // A failure that lasts is logged once.
        if (message !== logged)
          deps.logger.warn({ projection: target.projection.name, error: message }, 'a batch could not be folded yet; it is tried again');
        logged = message;
        await deps.leaseClock.sleep(pause, signal);
        pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
        pieces.unshift(...inHalves(piece));
      } else if (piece.events.length <= 1) return pauseAt(deps, target, piece, error);
      else pieces.unshift(...oneByOne(piece));
    }
  }
  return checkpoint;
};

const inHalves = ({ events, ...scanned }: LogBatch): readonly LogBatch[] => {
  const half = Math.ceil(events.length / 2);
  const [first, others] = [events.slice(0, half), events.slice(half)];
  if (others.length === 0) return [{ events, ...scanned }];
  return [
    { events: first, scannedTo: first.at(-1)!.position },
    { events: others, ...scanned },
  ];
};

const oneByOne = ({ events, ...scanned }: LogBatch): readonly LogBatch[] => [
  ...events.map((event) => ({ events: [event], scannedTo: event.position })),
  { events: [], ...scanned },
];

const pauseAt = async (deps: ProjectorDependencies, target: FoldTarget, batch: LogBatch, error: unknown): Promise<never> => {
  const event = batch.events[0];
  const reason = error instanceof Error ? error.message : String(error);
  await deps.generations.pause(target.lease, reason, event?.id ?? null);
  deps.logger.error(
    { projection: target.projection.name, eventId: event?.id, reason },
    'projection paused at an event that it cannot fold',
  );
  throw new ProjectionPaused(reason);
};
