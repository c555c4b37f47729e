import type { LogBatch, Position } from '../../../domain/ports/event-log.ts';
import { applyOrPause } from '../runtime/apply-or-pause.ts';
import type { ProjectorDependencies } from './dependencies.ts';
import { foldBatch, type FoldTarget } from './fold-batch.ts';

const MAX_DELAY_MS = 2000;

/** Folds a batch; an event that cannot be folded cannot be folded later either, and pauses the projection at once. Throws as `applyOrPause`. */
export const foldOrPause = (
  deps: ProjectorDependencies,
  target: FoldTarget,
  from: Position,
  batch: LogBatch,
  signal: AbortSignal,
): Promise<Position> =>
  applyOrPause(
    deps,
    {
      name: target.projection.name,
      apply: async (checkpoint, piece) => void (await foldBatch(deps, target, checkpoint, piece)),
      pause: (reason, eventId) => deps.generations.pause(target.lease, reason, eventId),
      attempts: 1,
      maxDelayMs: MAX_DELAY_MS,
    },
    from,
    batch,
    signal,
  );
