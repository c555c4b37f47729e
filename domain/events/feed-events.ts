import { z } from 'zod';
import { dateTime, uuid } from '../records/fields.ts';
import { type Resource, RESOURCES } from '../records/resources.ts';

/** The log's first event gives the feed its identity; a restored log appends a new one, and cursors of the old identity are refused. */
export const FEED_OPENED = 'FeedOpened';
export const feedOpened = z.strictObject({ feedId: uuid, reason: z.enum(['created', 'restored']) });
export type FeedOpened = z.output<typeof feedOpened>;

/** A shipped set of records has been written whole; a finished one is never written again. */
export const SEED_FINISHED = 'SeedFinished';
export const seedFinished = z.strictObject({ name: z.string(), version: z.int().min(1), records: z.int().min(0) });
export type SeedFinished = z.output<typeof seedFinished>;

/** An operator's decision that a projection leaves out an event that it cannot fold; every rebuild honours it. */
export const PROJECTION_EVENT_SKIPPED = 'ProjectionEventSkipped';
export const projectionEventSkipped = z.strictObject({ projection: z.string(), eventId: uuid, reason: z.string() });

/** The reason of a new identity of the feed; appended together with its `FeedOpened`. */
export const FEED_RENEWED = 'FeedRenewed';
export const feedRenewed = z.strictObject({ feedId: uuid, previousFeedId: uuid, reason: z.string().min(1).max(1000) });
export type FeedRenewed = z.output<typeof feedRenewed>;

function perResource<Schema extends z.ZodType>(schema: Schema) {
  const fields = RESOURCES.map((resource) => [resource, schema.describe(`Of the ${resource.replaceAll('_', ' ')}.`)]);
  return z.strictObject(Object.fromEntries(fields) as Record<Resource, Schema>);
}

export const resourceCounts = perResource(z.int().min(0)).meta({ id: 'ResourceCounts' });
export const resourceDigests = perResource(z.string().regex(/^[0-9a-f]{64}$/))
  .meta({ id: 'ResourceDigests' })
  .describe('State digests, by resource: order-free hashes over the exact content of the records.');

/** A frozen export was taken; `boundary` is the feed position that it stands at. Stream `snapshot-<id>`. */
export const SNAPSHOT_TAKEN = 'SnapshotTaken';
export const snapshotTaken = z.strictObject({
  snapshotId: uuid,
  accountId: uuid,
  feedId: uuid,
  boundary: z.int().min(0),
  createdAt: dateTime,
  expiresAt: dateTime,
  counts: resourceCounts,
  digests: resourceDigests,
});
export type SnapshotTaken = z.output<typeof snapshotTaken>;

/** On `restore-<restoreId>`. The first makes a restored log another one than its original; it is served only once the second is there. */
export const RESTORE_BEGUN = 'RestoreBegun';
export const restoreBegun = z.strictObject({
  restoreId: uuid,
  backupId: uuid,
  /** Hash of the file up to its seal: only the same file can continue a restore. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  events: z.int().min(1),
  /** The original continues to run: its work in flight is not continued here. */
  asCopy: z.boolean(),
  revokeKeys: z.boolean(),
});
export type RestoreBegun = z.output<typeof restoreBegun>;

export const RESTORE_FINISHED = 'RestoreFinished';
export const restoreFinished = z.strictObject({ restoreId: uuid, feedId: uuid });
export type RestoreFinished = z.output<typeof restoreFinished>;
