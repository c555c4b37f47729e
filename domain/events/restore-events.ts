import { z } from 'zod';
import { uuid } from '../records/fields.ts';

/**
 * Events on `restore-<restoreId>`. The first is the first event of a log that was made from a backup: so it is another log than the one that
 * was backed up, and one that is not served before the second is there.
 */
export const RESTORE_BEGUN = 'RestoreBegun';
export const restoreBegun = z.strictObject({
  restoreId: uuid,
  backupId: uuid,
  /** Hash of the file up to its seal: only the same file can continue a restore. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Events of the backup. */
  events: z.int().min(1),
  /** The original continues to run: its work in flight is not continued here. */
  asCopy: z.boolean(),
  revokeKeys: z.boolean(),
});
export type RestoreBegun = z.output<typeof restoreBegun>;

export const RESTORE_FINISHED = 'RestoreFinished';
export const restoreFinished = z.strictObject({ restoreId: uuid, feedId: uuid });
export type RestoreFinished = z.output<typeof restoreFinished>;
