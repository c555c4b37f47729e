import type { Transaction } from '../../../domain/ports/database.ts';
import type { Position } from '../../../domain/ports/event-log.ts';
import type { Comparison, Generation } from '../../../domain/ports/generations.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { logBatches } from '../../../domain/read-log.ts';
import { Backoff } from '../../../plumbing/retry.ts';
import { isLeased, LeaseLost } from '../../../plumbing/while-leased.ts';
import { compareWithLive, isErasureAhead, rowsThatDiffer, reasonNotCompared } from './compare-with-live.ts';
import { foldAndAdvance, foldOrPause, type FoldTarget, type ProjectorDependencies, tailUpTo } from './fold-batch.ts';

/** Milliseconds to pause while the live generation is behind. */
const RETRY_MS = [20, 1_000] as const;
/** Maximum number of events per batch. A request that waits for the processor waits for one batch at most. */
const MAX_BATCH_EVENTS = 500;

/**
 * Folds a building generation up to the live one, and switches to it unless an operator must decide. Returns the
 * checkpoint to follow from, or null if the generation was refused.
 */
export async function buildGeneration(
  deps: ProjectorDependencies,
  target: FoldTarget,
  row: Generation,
  signal: AbortSignal,
): Promise<Position | null> {
  let checkpoint = row.checkpoint;
  const pauses = new Backoff(...RETRY_MS);
  for (;;) {
    checkpoint = await catchUp(deps, target, checkpoint, signal);
    const step = await (row.held
      ? compareHeld(deps, target, row, checkpoint)
      : switchOrExplain(deps, target, checkpoint));
    if (step.kind === 'follow') return step.checkpoint;
    if (step.kind === 'refused') {
      deps.logger.error(
        { projection: target.projection.name, generation: row.generation, reason: step.reason },
        'rebuild refused',
      );
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
  /**
   * `behind`: more than one batch behind the live generation. `ahead`: ahead of it, or an erasure lies ahead of both.
   */
  | { readonly kind: 'behind' | 'ahead' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Folds up to the head as of now. Under steady writing the moving head is never reached; the next step folds the rest.
 */
async function catchUp(
  deps: ProjectorDependencies,
  target: FoldTarget,
  from: Position,
  signal: AbortSignal,
): Promise<Position> {
  let checkpoint = from;
  const end = await deps.log.head();
  const reading = { types: target.projection.handles, batchSize: Math.min(deps.batchSize, MAX_BATCH_EVENTS) };
  for await (const batch of logBatches(deps.log, from, reading)) {
    checkpoint = await foldOrPause(deps, target, checkpoint, batch, signal);
    if (checkpoint >= end) break;
  }
  return checkpoint;
}

async function compareHeld(
  deps: ProjectorDependencies,
  target: FoldTarget,
  row: Generation,
  checkpoint: Position,
): Promise<Step> {
  if (row.comparison !== null) return { kind: 'follow', checkpoint };
  const { projection, lease } = target;
  const live = (await deps.generations.list()).find(
    (one) => one.projection === projection.name && one.state === 'live',
  );
  // The two cannot reach one checkpoint, so the build is not compared until an operator decides.
  if (live !== undefined && live.checkpoint < checkpoint && !isFolded(live, projection, deps.leaseClock.now())) {
    return { kind: 'follow', checkpoint };
  }
  if (live !== undefined && reasonNotCompared(projection, live.version, projection.version) !== null)
    return { kind: 'follow', checkpoint };
  const attempt = await compareWithLive(deps, target, checkpoint);
  if (attempt.kind !== 'compared') return attempt;
  const comparison = attempt.result;
  if (!(await deps.generations.noteComparison(lease, comparison)))
    throw new LeaseLost('compared under a lease that was lost');
  if (comparison.equal) return { kind: 'follow', checkpoint };
  return { kind: 'refused', reason: `the rebuilt ${projection.name} differs: ${describeFirst(comparison)}` };
}

/** After a refusal, searches the differing rows outside the switch. */
async function switchOrExplain(deps: ProjectorDependencies, target: FoldTarget, checkpoint: Position): Promise<Step> {
  const outcome = await switchGeneration(deps, target);
  if (outcome.kind !== 'refused') return outcome;
  const attempt = await compareWithLive(deps, target, checkpoint).catch((error: unknown) => {
    deps.logger.warn(
      { projection: target.projection.name, error: (error as Error).message },
      'a refused rebuild could not be compared',
    );
    return null;
  });
  if (attempt?.kind === 'compared') await deps.generations.noteComparison(target.lease, attempt.result);
  return outcome;
}

const describeFirst = ({ differences, tables }: Comparison): string =>
  differences[0] ?? `table ${tables.find(({ live, rebuilt }) => live.digest !== rebuilt.digest)?.table ?? '?'}`;

/**
 * Makes a building generation the live one, in one transaction that locks both rows. First it folds the tail that the
 * live one has already folded, so that both are at the same checkpoint; then it compares them; only then does the
 * pointer move. The head never decreases.
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
      // Rolls back: the tail is folded again once both can be compared.
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

/** Compares all rows of both generations if the live one has no owner and does not advance. */
async function firstDifference(
  transaction: Transaction,
  projection: Projection,
  {
    live,
    building,
    checkpoint,
  }: { readonly live: Generation; readonly building: Generation; readonly checkpoint: Position },
): Promise<string | null> {
  if (projection.published !== true && (building.acceptDifferences || live.version !== building.version)) return null;
  const depth = checkpoint === live.checkpoint ? 'switch' : 'rows';
  return (await rowsThatDiffer(transaction, projection, [live.generation, building.generation], [depth]))[0] ?? null;
}

/**
 * Returns true if the live generation advances: it is not paused, and it has this program's version or another owner.
 */
const isFolded = (live: Generation, { version }: Projection, now: number): boolean =>
  live.pausedReason === null && (live.version === version || isLeased(live, now));
