import { generationTable } from '../../domain/ports/projection.ts';

/** Frozen exports: who may read them, where they stand, until when. Times are milliseconds since the epoch. */
export const SNAPSHOTS = 'snapshots';

export const snapshotsTable = (generation: number): string => generationTable(SNAPSHOTS, generation);

export const createSnapshotsTable = (generation: number): readonly string[] => [
  `create table ${snapshotsTable(generation)} (
    snapshot_id uuid primary key,
    account_id uuid not null,
    feed_id uuid not null,
    boundary bigint not null,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  `create index snapshots_g${generation}_by_expiry on ${snapshotsTable(generation)} (expires_at) include (boundary)`,
];
