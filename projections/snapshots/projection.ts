import { SNAPSHOT_TAKEN, snapshotTaken } from '../../domain/events/snapshot-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { sameRows } from '../same-rows.ts';
import { createSnapshotsTable, SNAPSHOTS, snapshotsTable } from './tables.ts';

async function fold(batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> {
  const taken = batch.map(({ data }) => snapshotTaken.parse(JSON.parse(data)));
  await transaction.execute({
    text: `insert into ${snapshotsTable(generation)} (snapshot_id, account_id, feed_id, boundary, created_at, expires_at)
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[])`,
    values: [
      columns.uuids(taken.map(({ snapshotId }) => snapshotId)),
      columns.uuids(taken.map(({ accountId }) => accountId)),
      columns.uuids(taken.map(({ feedId }) => feedId)),
      columns.bigints(taken.map(({ boundary }) => boundary)),
      columns.bigints(taken.map(({ createdAt }) => Date.parse(createdAt))),
      columns.bigints(taken.map(({ expiresAt }) => Date.parse(expiresAt))),
    ],
  });
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
