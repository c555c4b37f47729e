import type { Transaction } from '../../../domain/ports/database.ts';
import type { EventLog, Position } from '../../../domain/ports/event-log.ts';
import type { ProjectorDependencies } from './dependencies.ts';
import { type FoldTarget, rereading } from './fold-batch.ts';
import { CONTENT_ERASED } from '../../../domain/events/erasure-events.ts';

interface AtLiveCheckpoint {
  readonly transaction: Transaction;
  /** Number of the live generation. */
  readonly live: number;
  readonly checkpoint: Position;
  /** Events of the tail that were folded into the copy for this comparison. */
  readonly folded: number;
}

export type Looked<Result> =
  | { readonly kind: 'looked'; readonly result: Result }
  /**
   * `behind`: the copy is more than one batch behind the live generation. `ahead`: the copy is ahead, an erasure lies ahead, or nothing is live.
   */
  | { readonly kind: 'behind' | 'ahead' };

/**
 * Looks at a copy and the live generation at one checkpoint and one moment, in one repeatable-read transaction: the tail up to the live
 * checkpoint is folded into the copy and rolled back afterwards. The caller holds the copy's lease; the live one folds on meanwhile.
 */
export async function atLiveCheckpoint<Result>(
  deps: ProjectorDependencies,
  { projection, lease, skipped }: FoldTarget,
  checkpoint: Position,
  look: (at: AtLiveCheckpoint) => Promise<Result>,
): Promise<Looked<Result>> {
  let looked: Looked<Result> | undefined;
  await deps.transactor
    .transaction(async (transaction) => {
      await transaction.execute({ text: 'set transaction isolation level repeatable read', values: [] });
      const { rows } = await transaction.execute({
        text: `select generation, checkpoint from civic.generations where projection = $1 and state = 'live'`,
        values: [projection.name],
      });
      const [generation, goal] = rows[0] ?? [];
      if (generation == null || goal == null || goal < checkpoint) {
        looked = { kind: 'ahead' };
        return;
      }
      let folded = 0;
      if (goal > checkpoint) {
        const tail = await deps.log.readAll({ after: checkpoint, limit: deps.batchSize, types: projection.handles });
        if (tail.scannedTo < goal) {
          looked = { kind: 'behind' };
          return;
        }
        const events = tail.events.filter(({ id, position }) => position <= goal && !skipped.has(id));
        folded = events.length;
        if (folded > 0)
          await projection.fold(events, { transaction, columns: deps.columns, generation: lease.generation, reread: rereading(deps.log) });
      }
      const result = await look({ transaction, live: Number(generation), checkpoint: goal as Position, folded });
      // Checked after the comparison: an erasure that came meanwhile may be in one of the two.
      looked = (await isErasureAhead(deps.log, goal as Position)) ? { kind: 'ahead' } : { kind: 'looked', result };
      // The copy's checkpoint did not move with the tail.
      if (folded > 0) throw new RolledBack('looked');
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  return looked!;
}

class RolledBack extends Error {
  override readonly name = 'RolledBack';
}

/**
 * True where the log has an erasure after a position. Of two builds at that position one may have folded an event before its erasure and the
 * other after it, so differences are no error until both have passed the erasure.
 */
export const isErasureAhead = async (log: Pick<EventLog, 'readAll'>, after: Position): Promise<boolean> =>
  (await log.readAll({ after, limit: 1, types: [CONTENT_ERASED] })).events.length > 0;
