import { z } from 'zod';
import { uuid } from '../records/fields.ts';

/** Why a text was erased; a word of this list, since a sentence could repeat the text. */
export const ERASURE_REASONS = ['personal_data', 'court_order', 'copyright', 'published_in_error', 'other'] as const;
export type ErasureReason = (typeof ERASURE_REASONS)[number];

/**
 * `keep`: lengths, in code points, of the pieces that stay; `[0, 0]` erases the whole text. All gaps have one length: the rest of the
 * text's length divided by their number. So neither the text nor its length is stored. `with`: number of the replacement.
 */
const erasedText = z.strictObject({ path: z.array(z.string()).min(1), keep: z.array(z.int().min(0)).min(2), with: z.int().min(0) });
export type ErasedText = z.output<typeof erasedText>;

/**
 * Texts of events were erased. It stands on the one stream of all erasures, and its number there (from 1) is the erasure's: an event whose
 * metadata says `erasures: n` reads as after the n-th. Neither what was erased nor a hash of it is in here.
 */
export const CONTENT_ERASED = 'ContentErased';
export const contentErased = z.strictObject({
  reason: z.enum(ERASURE_REASONS),
  by: z.string().min(1).max(200),
  replacements: z.array(z.string()).min(1),
  streams: z
    .array(
      z.strictObject({
        stream: z.string().min(1),
        events: z.array(z.strictObject({ id: uuid, revision: z.int().min(0), texts: z.array(erasedText).min(1) })).min(1),
      }),
    )
    .min(1),
});
export type ContentErased = z.output<typeof contentErased>;
