import { SNAPSHOT_TAKEN, snapshotTaken } from '../../domain/events/feed-events.ts';
import { projection } from '../projection.ts';
import { insert } from '../rows.ts';
import { SNAPSHOTS } from './tables.ts';

export const snapshots = projection(SNAPSHOTS, {
  version: 1,
  handles: [SNAPSHOT_TAKEN],
  fold: (batch, context) =>
    insert(
      context,
      SNAPSHOTS.tables.snapshots,
      batch.map(({ data }) => {
        const { snapshotId, accountId, feedId, boundary, createdAt, expiresAt } = snapshotTaken.parse(JSON.parse(data));
        const times = { created_at: Date.parse(createdAt), expires_at: Date.parse(expiresAt) };
        return { snapshot_id: snapshotId, account_id: accountId, feed_id: feedId, boundary, ...times };
      }),
    ),
});
