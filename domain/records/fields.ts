import { z } from 'zod';

/** Field types shared by the record schemas. Parsing normalizes values; the parsed value is stored and sent. */

/** Trimmed, NFC, not empty. */
export const text = z.string().normalize('NFC').trim().min(1);

/**
 * Limits the number of characters as JSON Schema counts them (code points), so that `maxLength` in the documents means
 * the same.
 */
export const atMostCharacters = (schema: z.ZodString, max: number) =>
  schema
    .refine((value) => Array.from(value).length <= max, { error: `must have at most ${max} characters` })
    .meta({ maxLength: max });

/**
 * Any RFC 9562 uuid in any letter case, including all-zero and all-f; stored in lower case. zod accepts the all-f uuid
 * only in lower case.
 */
export const uuid = z.string().toLowerCase().check(z.uuid());
/** Matches the patterns of the tool protocol (lower-case letters, digits, underscore, hyphen; 1..64). */
export const topicSlug = z.string().regex(/^[a-z0-9_-]{1,64}$/);
export const slug = z.string().regex(/^[a-z0-9-]{1,64}$/);

/** An offset can move the year out of four digits, and such a time could not be read again. */
const TIME_LENGTH = '2026-01-01T00:00:00.000Z'.length;

/** ISO 8601 with any offset; stored as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const dateTime = z.iso
  .datetime({ offset: true, abort: true })
  .overwrite((value) => new Date(value).toISOString())
  .refine((value) => value.length === TIME_LENGTH, { error: 'must be in the years 0000 to 9999 of UTC' });

/** A calendar date `YYYY-MM-DD` that exists. */
export const date = z.iso.date();
/** An absolute http or https address; stored percent-encoded. */
export const url = z
  .url({ protocol: /^https?$/, hostname: /.+/, abort: true })
  .overwrite((value) => new URL(value).href);

const knownTimeZones = new Map<string, boolean>();
function isTimeZone(name: string): boolean {
  let isKnown = knownTimeZones.get(name);
  if (isKnown === undefined) {
    try {
      isKnown =
        new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone.length > 0 &&
        /^[A-Za-z]/.test(name);
    } catch {
      isKnown = false;
    }
    if (knownTimeZones.size < 1000) knownTimeZones.set(name, isKnown);
  }
  return isKnown;
}

export const timeZone = z
  .string()
  .refine(isTimeZone, { error: 'must be an IANA time zone name such as America/Chicago' });

/** A nullable field. An absent input is stored as null, so that stored data always has the key. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullable().default(null as z.output<Schema> & null);
/**
 * A field that older records lack. It is absent if it has no value, so that the content of older records does not
 * change.
 */
export const addedLater = <Schema extends z.ZodType>(schema: Schema) => schema.optional();
export const agendaTextEvidence = z.enum(['readable', 'no_text_layer']);
export const actingBodyRole = z
  .enum(['recommending', 'final_decision_maker', 'unknown'])
  .describe('Powers of the body over the matter.');
