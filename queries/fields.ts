import { z } from 'zod';
import { isoTimeOf } from '../domain/iso-time.ts';

/** Converts a column of milliseconds since the epoch, as number or text, to ISO 8601 in UTC. */
export const isTime = z.coerce.number().transform(isoTimeOf);

/** Parses a text column that contains JSON. */
export const jsonText = <Schema extends z.ZodType>(schema: Schema) =>
  z.string().transform((text): z.output<Schema> => schema.parse(JSON.parse(text)));

/** Converts milliseconds, as number or text, to ISO 8601 in UTC, and null to null. */
export function isoTime(milliseconds: number | string): string;
export function isoTime(milliseconds: number | string | null | undefined): string | null;
export function isoTime(milliseconds: number | string | null | undefined): string | null {
  return milliseconds == null ? null : isoTimeOf(Number(milliseconds));
}

/** Returns an object with the member, or without it if the value is null. */
export function unlessNull<Key extends string, Value>(
  key: Key,
  value: Value | null | undefined,
): { readonly [K in Key]?: Value } {
  return (value == null ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}
