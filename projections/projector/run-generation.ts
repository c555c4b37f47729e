import type { Position } from '../../src/domain/ports/event-log.ts';
import type { Generation, Lease } from '../../src/domain/ports/generations.ts';
import type { Projection } from '../../src/domain/ports/projection.ts';
import type { ProjectorDependencies } from './dependencies.ts';
import type { FoldTarget } from './fold-batch.ts';
import { LeaseLost } from '../../src/domain/while-leased.ts';
import { foldOrPause } from './fold-or-pause.ts';
import { requireSameLog } from './own-log.ts';
import { readForward } from './read-forward.ts';
import { readSkippedEvents } from './skipped-events.ts';
import { switchGeneration } from './switch-generation.ts';

const SWITCH_RETRY_MS = 20;

/** Folds one generation under a lease until the signal aborts, the lease is lost, it is paused, or it turns out not to be switched to. */
export const runGeneration = async (
  deps: ProjectorDependencies,
  projection: Projection,
  row: Generation,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> => {
  const logId = await deps.log.identity();
  requireSameLog(row, logId);
  const target: FoldTarget = { projection, lease, logId, skipped: await readSkippedEvents(deps.log, projection.name) };
  const checkpoint = row.state === 'building' ? await buildAndSwitch(deps, target, row.checkpoint, signal) : row.checkpoint;
  if (checkpoint !== null) await follow(deps, target, checkpoint, signal);
};

const follow = async (deps: ProjectorDependencies, target: FoldTarget, from: Position, signal: AbortSignal): Promise<void> => {
  const subscription = deps.log.subscribe({ after: from, batchSize: deps.batchSize, types: target.projection.handles, signal });
  let checkpoint = from;
  for await (const batch of subscription) checkpoint = await foldOrPause(deps, target, checkpoint, batch, signal);
};

const buildAndSwitch = async (
  deps: ProjectorDependencies,
  target: FoldTarget,
  from: Position,
  signal: AbortSignal,
): Promise<Position | null> => {
  const { projection, lease } = target;
  let checkpoint = from;
  for (;;) {
    for await (const batch of readForward(deps.log, checkpoint, { types: projection.handles, batchSize: deps.batchSize })) {
      checkpoint = await foldOrPause(deps, target, checkpoint, batch, signal);
      // Near enough: under steady writing the end of the log is never met, and the switch folds the last of it itself.
      if (batch.events.length < deps.batchSize) break;
    }
    for (let outcome = await switchGeneration(deps, target, deps.leaseClock.now()); outcome.kind !== 'behind'; ) {
      if (outcome.kind === 'switched') return outcome.checkpoint;
      if (outcome.kind === 'refused') {
        deps.logger.error({ projection: projection.name, generation: lease.generation, reason: outcome.reason }, 'rebuild refused');
        await deps.generations.abandon(lease.generation, 'refused', outcome.reason, deps.leaseClock.now());
        return null;
      }
      await deps.leaseClock.sleep(SWITCH_RETRY_MS, signal);
      outcome = await switchGeneration(deps, target, deps.leaseClock.now());
    }
    if (signal.aborted) throw new LeaseLost('stopped');
  }
};
