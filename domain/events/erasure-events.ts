import { z } from 'zod';
import { uuid } from '../records/fields.ts';

/** Reasons for an erasure. A closed list, because a sentence could repeat the text. */
export const ERASURE_REASONS = ['personal_data', 'court_order', 'copyright', 'published_in_error', 'other'] as const;
export type ErasureReason = (typeof ERASURE_REASONS)[number];

/**
 * `keep`: lengths, in code points, of the remaining pieces; `[0, 0]` erases the whole text. All gaps have one length:
 * the rest of the text's length divided by their number. Neither the text nor its length is stored. `with`: number of
 * the replacement.
 */
const erasedText = z.strictObject({
  path: z.array(z.string()).min(1),
  keep: z.array(z.int().min(0)).min(2),
  with: z.int().min(0),
});
export type ErasedText = z.output<typeof erasedText>;

/**
 * Texts of events were erased. All erasures are on one stream, and the position there (from 1) is the number of the
 * erasure: an event with `erasures: n` in its metadata includes the first n. The event contains neither the erased text
 * nor a hash of it.
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
        events: z
          .array(z.strictObject({ id: uuid, revision: z.int().min(0), texts: z.array(erasedText).min(1) }))
          .min(1),
      }),
    )
    .min(1),
});
export type ContentErased = z.output<typeof contentErased>;
