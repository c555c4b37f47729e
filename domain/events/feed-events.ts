import { z } from 'zod';
import { dateTime, uuid } from '../records/fields.ts';
import { type Resource, RESOURCES } from '../records/resources.ts';

/**
 * The first event of the log identifies the feed. A restored log appends a new one, and cursors of the old identity are
 * refused.
 */
export const FEED_OPENED = 'FeedOpened';
export const feedOpened = z.strictObject({ feedId: uuid, reason: z.enum(['created', 'restored']) });
export type FeedOpened = z.output<typeof feedOpened>;

/** A seed was written completely. A finished seed is never written again. */
export const SEED_FINISHED = 'SeedFinished';
export const seedFinished = z.strictObject({ name: z.string(), version: z.int().min(1), records: z.int().min(0) });
export type SeedFinished = z.output<typeof seedFinished>;

/** An operator decided that a projection skips an event that it cannot fold; every rebuild skips it too. */
export const PROJECTION_EVENT_SKIPPED = 'ProjectionEventSkipped';
export const projectionEventSkipped = z.strictObject({ projection: z.string(), eventId: uuid, reason: z.string() });

/** Reason for a new identity of the feed; appended together with its `FeedOpened`. */
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

/** A snapshot was taken at the feed position `boundary`. Stream `snapshot-<id>`. */
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

/**
 * Events on `restore-<restoreId>`. The first separates a restored log from its original. The log is not served before
 * the second.
 */
export const RESTORE_BEGUN = 'RestoreBegun';
export const restoreBegun = z.strictObject({
  restoreId: uuid,
  backupId: uuid,
  /** Hash of the file up to its seal: a restore continues only from the same file. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  events: z.int().min(1),
  /** The original service continues to run: its unfinished work is not continued here. */
  asCopy: z.boolean(),
  revokeKeys: z.boolean(),
});
export type RestoreBegun = z.output<typeof restoreBegun>;

export const RESTORE_FINISHED = 'RestoreFinished';
export const restoreFinished = z.strictObject({ restoreId: uuid, feedId: uuid });
export type RestoreFinished = z.output<typeof restoreFinished>;
