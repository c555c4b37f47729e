import { z } from 'zod';
import { uuid } from '../records/fields.ts';

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
