import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import { FEED_OPENED, feedOpened } from '../../domain/events/feed-events.ts';
import { RECORD_EVENT_TYPES } from '../../domain/events/record-events.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { foldAroundErasures } from '../fold-around-erasures.ts';
import { historyDifferences } from './differences.ts';
import { foldErasure } from './fold-erasure.ts';
import { historyRows } from './history-rows.ts';
import { dropPruned, insertHistory, readFoldState, supersedeRows, writeFeedIdentity, writeState, writeTotals } from './statements.ts';
import { createRecordHistoryTables, RECORD_HISTORY, recordHistoryTables } from './tables.ts';
import { Totals } from './totals.ts';

async function foldChanges(batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> {
  const opened = batch.filter(({ type }) => type === FEED_OPENED).at(-1);
  if (opened !== undefined) {
    await transaction.execute(writeFeedIdentity(generation, feedOpened.parse(JSON.parse(opened.data)).feedId));
  }
  const changes = batch.filter(({ type }) => type !== FEED_OPENED);
  if (changes.length === 0) return;

  const [state, ...known] = (await transaction.execute(readFoldState(generation))).rows;
  const prunedThrough = Number(state![3]);
  const totals = new Totals();
  for (const [resource, records, digest] of known) totals.load(resource!, Number(records), digest!);

  const before = { head: Number(state![0]), changedAt: Number(state![1]), chain: state![2]!, outline: state![4]!, fingerprint: state![5]! };
  const { rows, superseding, state: after } = historyRows(changes, before);
  if (superseding.length > 0) {
    const { rows: ended } = await transaction.execute(supersedeRows(generation, columns, superseding));
    for (const [resource, digest] of ended) totals.remove(resource!, digest!);
  }
  await transaction.execute(
    insertHistory(
      generation,
      columns,
      rows.filter(({ supersededAt, position }) => supersededAt === null || supersededAt > prunedThrough || position === prunedThrough),
    ),
  );
  if (before.head < prunedThrough) await transaction.execute(dropPruned(generation, prunedThrough));
  totals.addCurrent(rows);
  await transaction.execute(writeState(generation, after));
  await transaction.execute(writeTotals(generation, columns, totals.touched()));
}

const HISTORY_TABLE = /record_history_g\d+$/;
const SUPERSEDED_AFTER_PRUNED = 'superseded_at > (select pruned_through from civic.feed_retention)';

export const recordHistory: Projection = {
  name: RECORD_HISTORY,
  version: 3,
  handles: [FEED_OPENED, ...RECORD_EVENT_TYPES, CONTENT_ERASED],
  tables: (generation) => Object.values(recordHistoryTables(generation)),
  create: createRecordHistoryTables,
  fold: foldAroundErasures(foldChanges, foldErasure),
  differences: historyDifferences,
  // Between the rise of the pruned position and the end of pruning, one build may still hold rows that the other has dropped.
  heldByEveryBuild: (table) => (HISTORY_TABLE.test(table) ? SUPERSEDED_AFTER_PRUNED : 'true'),
  published: true,
};
