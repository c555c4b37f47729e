import { z } from 'zod';
import { isoTimeOf } from '../domain/iso-time.ts';

/** A column of milliseconds since the epoch, as ISO 8601 in UTC; whether the driver gives numbers or text. */
export const isTime = z.coerce.number().transform(isoTimeOf);

/** The same for a column that was read as text, null for null. */
export function isoTime(milliseconds: string): string;
export function isoTime(milliseconds: string | null | undefined): string | null;
export function isoTime(milliseconds: string | null | undefined): string | null {
  return milliseconds == null ? null : isoTimeOf(Number(milliseconds));
}

/** A member where there is a value; a null is absent. */
export function unlessNull<Key extends string, Value>(key: Key, value: Value | null | undefined): { readonly [K in Key]?: Value } {
  return (value == null ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}
