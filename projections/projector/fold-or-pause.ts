import type { LogBatch, Position } from '../../src/domain/ports/event-log.ts';
import type { ProjectorDependencies } from './dependencies.ts';
import { isTransient } from './failures.ts';
import { foldBatch, type FoldTarget } from './fold-batch.ts';
import { LeaseLost } from '../../src/domain/while-leased.ts';

/** A projection met an event that it cannot fold; it is paused with the reason until an operator retries or skips the event. */
export class ProjectionPaused extends Error {
  override readonly name = 'ProjectionPaused';
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;

/**
 * Folds a batch; waits out failures of the surroundings; where the batch itself fails, folds event by event and pauses the projection
 * at the one that fails, with everything before it committed.
 */
export const foldOrPause = async (
  deps: ProjectorDependencies,
  target: FoldTarget,
  from: Position,
  batch: LogBatch,
  signal: AbortSignal,
): Promise<Position> => {
  try {
    return await foldPatiently(deps, target, from, batch, signal);
  } catch (error) {
    if (error instanceof LeaseLost || signal.aborted) throw error;
    if (batch.events.length <= 1) return pauseAt(deps, target, batch, error);
  }
  let checkpoint = from;
  for (const event of batch.events) {
    const single = { events: [event], scannedTo: event.position };
    try {
      checkpoint = await foldPatiently(deps, target, checkpoint, single, signal);
    } catch (error) {
      if (error instanceof LeaseLost || signal.aborted) throw error;
      return pauseAt(deps, target, single, error);
    }
  }
  return foldPatiently(deps, target, checkpoint, { events: [], scannedTo: batch.scannedTo }, signal);
};

const foldPatiently = async (deps: ProjectorDependencies, target: FoldTarget, from: Position, batch: LogBatch, signal: AbortSignal) => {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    signal.throwIfAborted();
    try {
      return await foldBatch(deps, target, from, batch);
    } catch (error) {
      if (!isTransient(error)) throw error;
      deps.logger.warn({ projection: target.projection.name, error: (error as Error).message }, 'a batch could not be folded yet');
      await deps.leaseClock.sleep(pause, signal);
    }
  }
};

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
