/** English names of the months, in lower case and in order. */
export const MONTHS: readonly string[] = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** Returns a date `YYYY-MM-DD` as Americans write it: "March 31, 2026". */
export function dateInWords(date: string): string {
  const [year, month, day] = date.split('-').map(Number);
  const name = MONTHS[month! - 1]!;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${day}, ${year}`;
}
