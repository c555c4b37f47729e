import { readDays } from '../../../domain/agenda-text/meeting-days.ts';
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
