import { ID, NUMBER, readModel, UUID } from '../tables.ts';

export const SNAPSHOTS = readModel('snapshots', {
  snapshots: {
    isMain: true,
    columns: {
      snapshot_id: ID,
      account_id: UUID,
      feed_id: UUID,
      boundary: NUMBER,
      created_at: NUMBER,
      expires_at: NUMBER,
    },
    indexes: { by_expiry: '(expires_at) include (boundary)' },
  },
});
