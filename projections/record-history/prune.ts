import type { Statement, Transactor } from '../../domain/ports/database.ts';
import { SNAPSHOTS } from '../snapshots/tables.ts';
import { IS_SUPERSEDED, RECORD_HISTORY, replayFloor } from './tables.ts';

const ROWS_A_STEP = 5000;

interface Pruning {
  /** Live generations. */
  readonly history: number;
  readonly snapshots: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly retentionMs: number;
}

/** Moves `prunedThrough` up to the replay floor, or to the boundary of the oldest live snapshot if that is lower. */
function raisePruned({ history, snapshots, now, retentionMs }: Pruning): Statement {
  const tables = RECORD_HISTORY.at(history);
  return {
    text: `update civic.feed_retention set pruned_through = horizon.position
      from (
        select least(${replayFloor(tables.history, '$1')}, (select min(boundary) from ${SNAPSHOTS.at(snapshots).snapshots} where expires_at > $2::bigint)) as position
        from ${tables.state} s, civic.feed_retention r
      ) horizon
      where horizon.position > pruned_through`,
    values: [now - retentionMs, now],
  };
}

const deletePruned = (history: number): Statement => ({
  text: `delete from ${RECORD_HISTORY.at(history).history} where position in (
      select h.position from ${RECORD_HISTORY.at(history).history} h
      where h.${IS_SUPERSEDED} and h.superseded_at <= (select pruned_through from civic.feed_retention)
        and h.position <> (select pruned_through from civic.feed_retention) limit ${ROWS_A_STEP}
    )`,
  values: [],
});

/**
 * Deletes rows that neither the replay retention nor a live snapshot needs. The row at the pruned position stays,
 * because it proves the history before it. The position rises in the first transaction that deletes, so that no reader
 * considers incomplete rows complete.
 */
export async function pruneRecordHistory(transactor: Transactor, pruning: Pruning): Promise<number> {
  let removed = 0;
  for (let step = ROWS_A_STEP; step === ROWS_A_STEP; removed += step) {
    step = await transactor.transaction(async (transaction) => {
      await transaction.query(raisePruned(pruning));
      return (await transaction.query(deletePruned(pruning.history))).count;
    });
  }
  return removed;
}
