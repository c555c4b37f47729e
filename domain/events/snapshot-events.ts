import { z } from 'zod';
import { dateTime, uuid } from '../records/fields.ts';
import { RESOURCES, type Resource } from '../records/resources.ts';

function perResource<Schema extends z.ZodType>(schema: Schema) {
  const fields = RESOURCES.map((resource) => [resource, schema.describe(`Of the ${resource.replaceAll('_', ' ')}.`)]);
  return z.strictObject(Object.fromEntries(fields) as Record<Resource, Schema>);
}

/** One integer per resource, all eleven keys always present. */
export const resourceCounts = perResource(z.int().min(0)).meta({ id: 'ResourceCounts' });
/** State digests, 64 lower-case hex digits per resource. */
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
