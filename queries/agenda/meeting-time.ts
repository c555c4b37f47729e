import { dateOfDay } from '../../domain/local-day.ts';

/** A member where there is a value; a null is absent. */
export function unlessNull<Key extends string, Value>(key: Key, value: Value | null | undefined): { readonly [K in Key]?: Value } {
  return (value == null ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}

/** When a meeting starts, from its row: the instant in milliseconds, the local day, and the time zone where the row has it. */
export function meetingTimeOf(startsAt: string, day: string, timezone: string | null | undefined) {
  return { meetingAt: new Date(Number(startsAt)).toISOString(), meetingDate: dateOfDay(Number(day)), ...unlessNull('timezone', timezone) };
}
