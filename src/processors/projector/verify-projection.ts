import type { Position } from '../../../domain/ports/event-log.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { atLiveCheckpoint, rowsThatDiffer } from './compare-with-live.ts';
import { foldBatch, type FoldTarget, foldTarget, type ProjectorDependencies } from './fold-batch.ts';
import { underLease } from './projector.ts';
import { logBatches } from '../../../domain/read-log.ts';

export interface Verification {
  readonly projection: string;
  /** Events folded into the copy. */
  readonly folded: number;
  /** Rows that differ, as text, a few of each kind; empty where the read model matches the log. */
  readonly differences: readonly string[];
}

/** Builds a projection in scratch tables and compares them with the live ones, row by row, at one checkpoint in one transaction. */
export async function verifyProjection(
  deps: ProjectorDependencies,
  projection: Projection,
  onProgress: (checkpoint: Position) => void,
  stopping: AbortSignal,
): Promise<Verification> {
  const scratch = await deps.generations.create(projection, 'scratch', deps.leaseClock.now());
  const acquired = await deps.generations.acquire(scratch.generation, deps.owner, deps.leaseClock.now(), deps.leaseMs);
  if (acquired === null) throw new Error(`the scratch copy of ${projection.name} was taken over by another process`);
  try {
    return await underLease(deps, acquired.lease, stopping, async (signal) =>
      compareAtLiveCheckpoint(deps, await foldTarget(deps, projection, acquired.lease), onProgress, signal),
    );
  } finally {
    await deps.generations.abandon(scratch.generation, deps.leaseClock.now());
    await deps.generations.drop(scratch.generation, projection.tables(scratch.generation));
  }
}

async function compareAtLiveCheckpoint(
  deps: ProjectorDependencies,
  target: FoldTarget,
  onProgress: (checkpoint: Position) => void,
  signal: AbortSignal,
): Promise<Verification> {
  const { projection, lease } = target;
  let checkpoint = '' as Position;
  let folded = 0;
  for (;;) {
    const live = (await deps.generations.list()).find((row) => row.projection === projection.name && row.state === 'live');
    if (live === undefined) throw new Error(`the read model ${projection.name} has no live generation to compare with`);
    const goal = live.checkpoint;
    for await (const batch of logBatches(deps.log, checkpoint, { types: projection.handles, batchSize: deps.batchSize })) {
      signal.throwIfAborted();
      const events = batch.events.filter(({ position }) => position <= goal);
      const scannedTo = batch.scannedTo < goal ? batch.scannedTo : goal;
      if (scannedTo > checkpoint) {
        checkpoint = await foldBatch(deps, target, checkpoint, { events, scannedTo });
        folded += events.length;
        onProgress(checkpoint);
      }
      if (batch.scannedTo >= goal) break;
    }
    const looked = await atLiveCheckpoint(deps, target, checkpoint, async (at) => ({
      folded: folded + at.folded,
      differences: await rowsThatDiffer(at.transaction, projection, at.live, lease.generation),
    }));
    if (looked.kind === 'looked') return { projection: projection.name, ...looked.result };
    await deps.leaseClock.sleep(20, signal);
  }
}
