import type { Position } from '../../../domain/ports/event-log.ts';
import { logBatches } from '../../../domain/read-log.ts';
import type { Comparison, Generation } from '../../../domain/ports/generations.ts';
import { LeaseLost } from '../../../domain/while-leased.ts';
import { compareWithLive } from './compare-with-live.ts';
import { foldOrPause, type FoldTarget, type ProjectorDependencies } from './fold-batch.ts';
import { isFolded, switchGeneration } from './switch-generation.ts';
import { createRebuildThrottle, type RebuildThrottle, type TrafficWatch } from './rebuild-throttle.ts';

const RETRY_MS = 20;
/** A rebuild that gives way may never catch up with steady writers: after so many passes it stops giving way. */
const PATIENT_PASSES = 3;

/**
 * Folds a building generation up to the live one. One that is held is compared there and then only followed; any other is switched to.
 * Resolves to the checkpoint to follow from, or to null where it was refused.
 */
export async function buildGeneration(
  deps: ProjectorDependencies,
  target: FoldTarget,
  row: Generation,
  watch: TrafficWatch,
  signal: AbortSignal,
): Promise<Position | null> {
  let checkpoint = row.checkpoint;
  const pace = createRebuildThrottle(deps, watch, signal);
  for (let passes = 0; ; passes++) {
    checkpoint = await catchUp(deps, target, checkpoint, passes < PATIENT_PASSES ? pace : null, signal);
    const step = await (row.held ? compareHeld(deps, target, row, checkpoint) : switchOrRefuse(deps, target, checkpoint));
    if (step.kind === 'follow') return step.checkpoint;
    if (step.kind === 'refused') return null;
    if (step.kind === 'ahead') await deps.leaseClock.sleep(RETRY_MS, signal);
    if (signal.aborted) throw new LeaseLost('stopped');
  }
}

type Step = { readonly kind: 'follow'; readonly checkpoint: Position } | { readonly kind: 'refused' | 'behind' | 'ahead' };

/** Folds up to the head at its start. Under steady writing the moving head is never reached; the next step folds the rest. */
async function catchUp(
  deps: ProjectorDependencies,
  target: FoldTarget,
  from: Position,
  pace: RebuildThrottle | null,
  signal: AbortSignal,
): Promise<Position> {
  let checkpoint = from;
  const end = await deps.log.head();
  const reading = {
    types: target.projection.handles,
    get batchSize() {
      return pace?.batchSize ?? deps.batchSize;
    },
  };
  for await (const batch of logBatches(deps.log, from, reading)) {
    const begun = deps.leaseClock.now();
    checkpoint = await foldOrPause(deps, target, checkpoint, batch, signal);
    if (checkpoint >= end) break;
    await pace?.rest(batch.events.length, deps.leaseClock.now() - begun);
  }
  return checkpoint;
}

async function compareHeld(deps: ProjectorDependencies, target: FoldTarget, row: Generation, checkpoint: Position): Promise<Step> {
  if (row.comparison !== null) return { kind: 'follow', checkpoint };
  const { projection, lease } = target;
  const live = (await deps.generations.list()).find(({ projection: name, state }) => name === projection.name && state === 'live');
  // The two cannot reach one checkpoint: the build is not compared until an operator decides.
  if (live !== undefined && live.checkpoint < checkpoint && !isFolded(live, projection, deps.leaseClock.now())) {
    return { kind: 'follow', checkpoint };
  }
  if (live !== undefined && live.version !== projection.version && projection.published !== true) return { kind: 'follow', checkpoint };
  const looked = await compareWithLive(deps, target, checkpoint);
  if (looked.kind !== 'looked') return looked;
  const comparison = looked.result;
  if (!(await deps.generations.noteComparison(lease, comparison))) throw new LeaseLost('compared under a lease that was lost');
  if (comparison.equal) return { kind: 'follow', checkpoint };
  return refuse(deps, target, `the rebuilt ${projection.name} differs: ${firstOf(comparison)}`);
}

async function switchOrRefuse(deps: ProjectorDependencies, target: FoldTarget, checkpoint: Position): Promise<Step> {
  const outcome = await switchGeneration(deps, target);
  if (outcome.kind === 'switched') return { kind: 'follow', checkpoint: outcome.checkpoint };
  if (outcome.kind !== 'refused') return outcome;
  // The differing rows are searched outside the switch, while the live generation is followed.
  const looked = await compareWithLive(deps, target, checkpoint).catch((error: unknown) => {
    deps.logger.warn({ projection: target.projection.name, error: (error as Error).message }, 'a refused rebuild could not be compared');
    return null;
  });
  if (looked?.kind === 'looked') await deps.generations.noteComparison(target.lease, looked.result);
  return refuse(deps, target, outcome.reason);
}

async function refuse(deps: ProjectorDependencies, { projection, lease }: FoldTarget, reason: string): Promise<Step> {
  deps.logger.error({ projection: projection.name, generation: lease.generation, reason }, 'rebuild refused');
  if (!(await deps.generations.refuse(lease, reason, deps.leaseClock.now()))) throw new LeaseLost('refused under a lease that was lost');
  return { kind: 'refused' };
}

const firstOf = ({ differences, tables }: Comparison): string =>
  differences[0] ?? `table ${tables.find(({ live, rebuilt }) => live.digest !== rebuilt.digest)?.table ?? '?'}`;
