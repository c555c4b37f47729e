import { insertRows, rowSet } from '../row-set.ts';
import { SNAPSHOT_TAKEN, snapshotTaken } from '../../domain/events/snapshot-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { sameRows } from '../same-rows.ts';
import { createSnapshotsTable, SNAPSHOTS, snapshotsTable } from './tables.ts';

async function fold(batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> {
  const taken = batch.map(({ data }) => snapshotTaken.parse(JSON.parse(data)));
  await transaction.execute(
    insertRows(
      snapshotsTable(generation),
      rowSet(columns, taken, {
        snapshot_id: ['uuid', ({ snapshotId }) => snapshotId],
        account_id: ['uuid', ({ accountId }) => accountId],
        feed_id: ['uuid', ({ feedId }) => feedId],
        boundary: ['bigint', ({ boundary }) => boundary],
        created_at: ['bigint', ({ createdAt }) => Date.parse(createdAt)],
        expires_at: ['bigint', ({ expiresAt }) => Date.parse(expiresAt)],
      }),
    ),
  );
}

export const snapshots: Projection = {
  name: SNAPSHOTS,
  version: 1,
  handles: [SNAPSHOT_TAKEN],
  tables: (generation) => [snapshotsTable(generation)],
  create: createSnapshotsTable,
  fold,
  differences: (left, right) => [sameRows(snapshotsTable(left), snapshotsTable(right))],
};
