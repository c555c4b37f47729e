import type { Transaction } from '../../../domain/ports/database.ts';
import type { Position } from '../../../domain/ports/event-log.ts';
import type { Generation } from '../../../domain/ports/generations.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { LeaseLost } from '../../../domain/while-leased.ts';
import { isErasureAhead } from './compare-with-live.ts';
import { foldAndAdvance, type FoldTarget, type ProjectorDependencies, tailUpTo } from './fold-batch.ts';

type SwitchOutcome =
  | { readonly kind: 'switched'; readonly checkpoint: Position }
  /** The live generation has been folded further than one batch beyond this one, or this one beyond it, or an erasure lies ahead of both. */
  | { readonly kind: 'behind' | 'ahead' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Makes a building generation the live one, in one transaction under both rows' locks: the tail that the live one has folded already is
 * folded here too, both then stand at the same checkpoint and are compared, and only then does the pointer move. The head never falls.
 */
export async function switchGeneration(deps: ProjectorDependencies, target: FoldTarget): Promise<SwitchOutcome> {
  const { projection, lease } = target;
  const notComparable = new Error('an erasure lies ahead');
  const attempt = deps.transactor.transaction(async (transaction): Promise<SwitchOutcome> => {
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
    return { kind: 'switched', checkpoint };
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
  for (const statement of projection.differences(live.generation, building.generation, depth)) {
    const { rows } = await transaction.execute(statement);
    if (rows.length > 0) return rows[0]!.join(' ');
  }
  return null;
}

/** Whether the live generation can be waited for: it is not paused, and it is of the version that runs here, or another owner holds it. */
export const isFolded = (live: Generation, { version }: Projection, now: number): boolean =>
  live.pausedReason === null && (live.version === version || (live.owner !== null && live.leaseUntil >= now));
