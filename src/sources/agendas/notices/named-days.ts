import { MONTHS } from '../../../../domain/months.ts';
import { anyOf } from '../../../../domain/text/patterns.ts';

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const MONTH = anyOf(...MONTHS.map((name) => name.slice(0, 3)));
const MONTH_DAY = String.raw`${MONTH}[a-z]*\.? \d{1,2}(?:st|nd|rd|th)?`;
const NUMERIC_DAY = String.raw`\d{1,2}[/-]\d{1,2}(?:[/-]\d{2,4})?`;
/** A day as part of a regular expression: "on Tuesday, March 24, 2026", "3/24". */
export const DAY = String.raw`(?:on )?(?:[a-z]+day,? )?(?:${MONTH_DAY}|${NUMERIC_DAY})(?:,? \d{4})?`;
/** "Wed.", "Thursday". */
const WEEKDAY = String.raw`\b(${WEEKDAYS.join('|')})(?:[a-z]*day|s|rs?)?\b`;
/** "the 17th"; not "the 4th floor". */
const DAY_OF_MONTH = String.raw`\bthe (\d{1,2})(?:st|nd|rd|th)\b(?! floor)`;
const NAMED_DAY = new RegExp(`${WEEKDAY}|${DAY_OF_MONTH}`, 'g');

interface MeetingDay {
  /** The meeting's local day `YYYY-MM-DD`. */
  readonly day: string;
}

/** Months and days that the text names, as `MM-DD`. */
function namedDays(text: string): string[] {
  const days: string[] = [];
  for (const match of text.matchAll(/\b([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?\b/g)) {
    const month = MONTHS.findIndex(
      (name) =>
        name === match[1] ||
        (match[1] !== 'may' && name.startsWith((match[1] ?? '').slice(0, 3)) && (match[1] ?? '').length <= 4),
    );
    if (month >= 0) days.push(`${String(month + 1).padStart(2, '0')}-${(match[2] ?? '').padStart(2, '0')}`);
  }
  for (const match of text.matchAll(/\b(0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?:[/-]\d{2,4})?\b/g)) {
    days.push(`${(match[1] ?? '').padStart(2, '0')}-${(match[2] ?? '').padStart(2, '0')}`);
  }
  return days;
}

/** True if the text names the day of the meeting; null if it names none. */
export function isOwnDay(text: string, { day }: MeetingDay): boolean | null {
  const days = namedDays(text);
  return days.length === 0 ? null : days.includes(day.slice(5));
}

const YEAR_OF_MONTHS = 12 * 31;
const ordinal = (monthDay: string): number => Number(monthDay.slice(0, 2)) * 31 + Number(monthDay.slice(3));

/** Distances from the meeting to the next of each named day, in days of months of 31 days. */
const distancesTo = (text: string, day: string): readonly number[] =>
  namedDays(text).map((named) => (ordinal(named) - ordinal(day.slice(5)) + YEAR_OF_MONTHS) % YEAR_OF_MONTHS);

/** True if the text names a day within the half year after the meeting; an earlier one is the day of the notice. */
export const isLaterDay = (text: string, { day }: MeetingDay): boolean =>
  distancesTo(text, day).some((distance) => distance > 0 && distance <= YEAR_OF_MONTHS / 2);

/** True if the text names days, and all are within the half year before the meeting. */
export function isEarlierDay(text: string, { day }: MeetingDay): boolean {
  const distances = distancesTo(text, day);
  return distances.length > 0 && distances.every((distance) => distance > YEAR_OF_MONTHS / 2);
}

/** True if the text refers to another day in other words than its date: "tomorrow", "Wed.", "the 17th". */
export function isOtherDay(text: string, { day }: MeetingDay): boolean {
  if (/\b(?:tomorrow|next|following|another|(?<!this )weeks?|later d(?:ay|ate))\b/.test(text)) return true;
  const date = new Date(day);
  const own = [WEEKDAYS[date.getUTCDay()], String(date.getUTCDate())];
  const dayNames = [...text.matchAll(NAMED_DAY)];
  return dayNames.length > 0 && !dayNames.some(([, weekday, number]) => own.includes(weekday ?? number));
}
