import type { Position } from '../../../domain/ports/event-log.ts';
import type { Generation, Lease } from '../../../domain/ports/generations.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { buildGeneration } from './build-generation.ts';
import type { ProjectorDependencies } from './dependencies.ts';
import type { FoldTarget } from './fold-batch.ts';
import { ProcessorPaused } from '../runtime/apply-or-pause.ts';
import { LogSetBack, requireHistory } from '../runtime/own-log.ts';
import { foldOrPause } from './fold-or-pause.ts';
import { readSkippedEvents } from './skipped-events.ts';
import type { TrafficWatch } from './traffic-watch.ts';

/** Folds one generation under a lease until the signal aborts, the lease is lost, it is paused, or it is refused. */
export async function runGeneration(
  deps: ProjectorDependencies,
  projection: Projection,
  row: Generation,
  lease: Lease,
  watch: TrafficWatch,
  signal: AbortSignal,
): Promise<void> {
  const logId = await deps.log.identity();
  await requireHistory({ what: `read model ${projection.name}`, ...row }, deps.log, logId).catch(async (error: unknown) => {
    if (!(error instanceof LogSetBack)) throw error;
    await deps.generations.pause(lease, error.message, null);
    throw new ProcessorPaused(error.message);
  });
  const target: FoldTarget = { projection, lease, logId, skipped: await readSkippedEvents(deps.log, projection.name) };
  const checkpoint =
    row.state === 'building' ? await buildGeneration(deps, { ...target, unread: true }, row, watch, signal) : row.checkpoint;
  if (checkpoint !== null) await follow(deps, target, checkpoint, signal);
}

async function follow(deps: ProjectorDependencies, target: FoldTarget, from: Position, signal: AbortSignal): Promise<void> {
  const subscription = deps.log.subscribe({ after: from, batchSize: deps.batchSize, types: target.projection.handles, signal });
  let checkpoint = from;
  for await (const batch of subscription) checkpoint = await foldOrPause(deps, target, checkpoint, batch, signal);
}
