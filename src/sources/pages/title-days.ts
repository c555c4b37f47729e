import { readDays } from '../../../domain/agenda-text/meeting-days.ts';
import { DAY_MS } from '../../../domain/durations.ts';
import { MONTHS } from '../../../domain/months.ts';
import { anyOf, pattern } from '../../../domain/text/patterns.ts';

/** Maximum characters of a title that are read. */
const MAX_TITLE = 300;
/** "02242026" and "20260224", in file names. */
const COMPACT = pattern(
  '',
  String.raw`(?<!\d)`,
  anyOf(
    String.raw`(?<month>\d{2})(?<day>\d{2})(?<year>20\d{2})`,
    String.raw`(?<year>20\d{2})(?<month>\d{2})(?<day>\d{2})`,
  ),
  String.raw`(?!\d)`,
);

/** Returns the first day that a title states, `YYYY-MM-DD`; null without one. */
export function dayInTitle(title: string): string | null {
  const text = title.slice(0, MAX_TITLE);
  const [first] = readDays(text);
  if (first !== undefined) return first.date;
  const { year, month, day } = COMPACT.exec(text)?.groups ?? {};
  return readDays(`${year}-${month}-${day}`)[0]?.date ?? null;
}

const MONTH = anyOf(...MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`));
/** "December 1", "Dec. 1st" without a year. */
const DAY_OF_YEAR = pattern(
  'gi',
  String.raw`\b(?<month>${MONTH})\.?\s`,
  String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?\b(?!,?\s?\d)`,
);

/** Days between a meeting and the list that has its minutes. */
const MAX_DAYS_BEFORE = 200;

/**
 * Returns the day that a title states, `YYYY-MM-DD`; one without a year is the last before or on `listed`. Null without
 * a day, or if that is long before.
 */
export function dayBefore(title: string, listed: string): string | null {
  const titleDay = dayInTitle(title);
  if (titleDay !== null) return titleDay;
  const [first] = title.slice(0, MAX_TITLE).matchAll(DAY_OF_YEAR);
  const year = Number(listed.slice(0, 4));
  const days = [year, year - 1].flatMap((each) =>
    readDays(`${first?.groups?.['month']} ${first?.groups?.['day']}, ${each}`),
  );
  const last = days.find(({ date }) => date <= listed)?.date ?? null;
  return last !== null && Date.parse(listed) - Date.parse(last) <= MAX_DAYS_BEFORE * DAY_MS ? last : null;
}

/** Returns the title without the days that it states, also those without a year. */
export const withoutAnyDay = (title: string): string => withoutDays(title).replace(DAY_OF_YEAR, ' ');

/** Returns the title without the days that it states. */
export function withoutDays(title: string): string {
  const text = title.slice(0, MAX_TITLE);
  const parts: string[] = [];
  let from = 0;
  for (const { index, end } of readDays(text)) {
    parts.push(text.slice(from, index));
    from = Math.max(from, end);
  }
  return [...parts, text.slice(from)].join(' ');
}
