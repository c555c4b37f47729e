import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import { FEED_OPENED, feedOpened } from '../../domain/events/feed-events.ts';
import { RECORD_EVENT_TYPES } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { foldAroundErasures } from '../fold-around-erasures.ts';
import { projection } from '../projection.ts';
import { historyDifferences } from './differences.ts';
import { foldErasure } from './fold-erasure.ts';
import { historyRows } from './history-rows.ts';
import { insertHistory, readState, supersedeRows, writeState } from './statements.ts';
import { RECORD_HISTORY } from './tables.ts';

async function foldChanges(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const { transaction, columns, generation } = context;
  const { history, state } = RECORD_HISTORY.at(generation);
  const opened = batch.findLast(({ type }) => type === FEED_OPENED);
  if (opened !== undefined) {
    await transaction.execute({ text: `update ${state} set feed_id = $1`, values: [feedOpened.parse(JSON.parse(opened.data)).feedId] });
  }
  const changes = batch.filter(({ type }) => type !== FEED_OPENED);
  if (changes.length === 0) return;

  const { before, totals, prunedThrough } = await readState(context);
  const { rows, superseding, state: after } = historyRows(changes, before);
  if (superseding.length > 0) {
    const { rows: ended } = await transaction.execute(supersedeRows(generation, columns, superseding));
    for (const [resource, digest] of ended) totals.remove(resource!, digest!);
  }
  // A rebuild leaves out what was pruned from the live generation, but for the row at the pruned position: it proves the history before it.
  await insertHistory(
    context,
    rows.filter(({ supersededAt, position }) => supersededAt === null || supersededAt > prunedThrough || position === prunedThrough),
  );
  if (before.head < prunedThrough) {
    await transaction.execute({
      name: `drop_below_mark_g${generation}`,
      text: `delete from ${history} where superseded_at <= $1 and position <> $1`,
      values: [prunedThrough],
    });
  }
  totals.addCurrent(rows);
  await writeState(context, after, totals);
}

const HISTORY_TABLE = /record_history_g\d+$/;
const SUPERSEDED_AFTER_PRUNED = 'superseded_at > (select pruned_through from civic.feed_retention)';

export const recordHistory = projection(RECORD_HISTORY, {
  version: 3,
  handles: [FEED_OPENED, ...RECORD_EVENT_TYPES, CONTENT_ERASED],
  fold: foldAroundErasures(foldChanges, foldErasure),
  differences: historyDifferences,
  // Between the rise of the pruned position and the end of pruning, one build may still hold rows that the other has dropped.
  heldByEveryBuild: (table) => (HISTORY_TABLE.test(table) ? SUPERSEDED_AFTER_PRUNED : 'true'),
  published: true,
});
