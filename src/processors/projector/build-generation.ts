import type { Transaction } from '../../../domain/ports/database.ts';
import type { Position } from '../../../domain/ports/event-log.ts';
import type { Comparison, Generation } from '../../../domain/ports/generations.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { logBatches } from '../../../domain/read-log.ts';
import { Backoff } from '../../../domain/retry.ts';
import { isLeased, LeaseLost } from '../../../domain/while-leased.ts';
import { compareWithLive, isErasureAhead, rowsThatDiffer, whyNotCompared } from './compare-with-live.ts';
import { foldAndAdvance, foldOrPause, type FoldTarget, type ProjectorDependencies, tailUpTo } from './fold-batch.ts';
import { createRebuildThrottle, type TrafficWatch } from './rebuild-throttle.ts';

/** Pauses while the live generation is behind, in milliseconds. */
const RETRY_MS = [20, 1_000] as const;
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
  const pauses = new Backoff(...RETRY_MS);
  for (let passes = 0; ; passes++) {
    checkpoint = await catchUp(deps, target, checkpoint, passes < PATIENT_PASSES ? pace : null, signal);
    const step = await (row.held ? compareHeld(deps, target, row, checkpoint) : switchOrExplain(deps, target, checkpoint));
    if (step.kind === 'follow') return step.checkpoint;
    if (step.kind === 'refused') {
      deps.logger.error({ projection: target.projection.name, generation: row.generation, reason: step.reason }, 'rebuild refused');
      const refused = await deps.generations.refuse(target.lease, step.reason, deps.leaseClock.now());
      if (!refused) throw new LeaseLost('refused under a lease that was lost');
      return null;
    }
    if (step.kind === 'ahead') await deps.leaseClock.sleep(pauses.take(), signal);
    if (signal.aborted) throw new LeaseLost('stopped');
  }
}

type Step =
  | { readonly kind: 'follow'; readonly checkpoint: Position }
  /** `behind`: more than one batch behind the live generation. `ahead`: ahead of it, or an erasure lies ahead of both. */
  | { readonly kind: 'behind' | 'ahead' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Folds up to the head at its start. Under steady writing the moving head is never reached; the next step folds the rest. */
async function catchUp(
  deps: ProjectorDependencies,
  target: FoldTarget,
  from: Position,
  pace: ReturnType<typeof createRebuildThrottle> | null,
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
  const live = (await deps.generations.list()).find((one) => one.projection === projection.name && one.state === 'live');
  // The two cannot reach one checkpoint: the build is not compared until an operator decides.
  if (live !== undefined && live.checkpoint < checkpoint && !isFolded(live, projection, deps.leaseClock.now())) {
    return { kind: 'follow', checkpoint };
  }
  if (live !== undefined && whyNotCompared(projection, live.version, projection.version) !== null) return { kind: 'follow', checkpoint };
  const looked = await compareWithLive(deps, target, checkpoint);
  if (looked.kind !== 'looked') return looked;
  const comparison = looked.result;
  if (!(await deps.generations.noteComparison(lease, comparison))) throw new LeaseLost('compared under a lease that was lost');
  if (comparison.equal) return { kind: 'follow', checkpoint };
  return { kind: 'refused', reason: `the rebuilt ${projection.name} differs: ${firstOf(comparison)}` };
}

/** Searches the rows that differ after a refusal, outside the switch. */
async function switchOrExplain(deps: ProjectorDependencies, target: FoldTarget, checkpoint: Position): Promise<Step> {
  const outcome = await switchGeneration(deps, target);
  if (outcome.kind !== 'refused') return outcome;
  const looked = await compareWithLive(deps, target, checkpoint).catch((error: unknown) => {
    deps.logger.warn({ projection: target.projection.name, error: (error as Error).message }, 'a refused rebuild could not be compared');
    return null;
  });
  if (looked?.kind === 'looked') await deps.generations.noteComparison(target.lease, looked.result);
  return outcome;
}

const firstOf = ({ differences, tables }: Comparison): string =>
  differences[0] ?? `table ${tables.find(({ live, rebuilt }) => live.digest !== rebuilt.digest)?.table ?? '?'}`;

/**
 * Makes a building generation the live one, in one transaction under both rows' locks: the tail that the live one has folded already is
 * folded here too, both then stand at the same checkpoint and are compared, and only then does the pointer move. The head never falls.
 */
async function switchGeneration(deps: ProjectorDependencies, target: FoldTarget): Promise<Step> {
  const { projection, lease } = target;
  const notComparable = new Error('an erasure lies ahead');
  const attempt = deps.transactor.transaction(async (transaction): Promise<Step> => {
    const now = deps.leaseClock.now();
    const pair = await deps.generations.lockPair(transaction, lease.generation);
    if (pair === null || pair.building.token !== lease.token || pair.building.owner !== lease.owner) {
      throw new LeaseLost(`generation ${lease.generation} of ${projection.name} is no longer ours to switch to`);
    }
    const { live, building } = pair;
    if (building.checkpoint > live.checkpoint && isFolded(live, projection, now)) return { kind: 'ahead' };
    let { checkpoint } = building;
    if (checkpoint < live.checkpoint) {
      const tail = await tailUpTo(deps, target, checkpoint, live.checkpoint);
      if (tail === null) return { kind: 'behind' };
      await foldAndAdvance(deps, target, transaction, checkpoint, tail);
      checkpoint = live.checkpoint;
    }
    const difference = await firstDifference(transaction, projection, { live, building, checkpoint });
    if (difference !== null) {
      // Rolled back: the tail is folded again when both can be compared.
      if (await isErasureAhead(deps.log, checkpoint)) throw notComparable;
      return { kind: 'refused', reason: `the rebuilt ${projection.name} differs: ${difference}` };
    }
    await deps.generations.switchTo(transaction, live.generation, building.generation, now, now + deps.keptMs);
    return { kind: 'follow', checkpoint };
  });
  return await attempt.catch((error: unknown) => {
    if (error === notComparable) return { kind: 'ahead' };
    throw error;
  });
}

/** A live generation without an owner is passed by: then all that both hold is compared, row by row. */
async function firstDifference(
  transaction: Transaction,
  projection: Projection,
  { live, building, checkpoint }: { readonly live: Generation; readonly building: Generation; readonly checkpoint: Position },
): Promise<string | null> {
  if (projection.published !== true && (building.acceptDifferences || live.version !== building.version)) return null;
  const depth = checkpoint === live.checkpoint ? 'switch' : 'rows';
  return (await rowsThatDiffer(transaction, projection, [live.generation, building.generation], [depth]))[0] ?? null;
}

/** Whether the live generation can be waited for: it is not paused, and it is of the version that runs here, or another owner holds it. */
const isFolded = (live: Generation, { version }: Projection, now: number): boolean =>
  live.pausedReason === null && (live.version === version || isLeased(live, now));
