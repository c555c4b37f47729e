import { z } from 'zod';

/** A column of milliseconds since the epoch, as ISO 8601 in UTC; whether the driver gives numbers or text. */
export const isTime = z.coerce.number().transform((milliseconds) => new Date(milliseconds).toISOString());

/** Rows that were appended together have one time, and a time takes a microsecond to write. */
let latest = { milliseconds: '0', text: new Date(0).toISOString() };

/** The same for a column that was read as text, null for null. */
export function isoTime(milliseconds: string): string;
export function isoTime(milliseconds: string | null | undefined): string | null;
export function isoTime(milliseconds: string | null | undefined): string | null {
  if (milliseconds == null) return null;
  if (milliseconds !== latest.milliseconds) latest = { milliseconds, text: new Date(Number(milliseconds)).toISOString() };
  return latest.text;
}

/** A member where there is a value; a null is absent. */
export function unlessNull<Key extends string, Value>(key: Key, value: Value | null | undefined): { readonly [K in Key]?: Value } {
  return (value == null ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}
