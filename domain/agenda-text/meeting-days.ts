import { MONTHS } from '../months.ts';
import { anyOf, pattern } from '../text/patterns.ts';

/** A date that a text states. */
export interface StatedDay {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Position in the text. */
  readonly index: number;
  readonly end: number;
  /** True if the weekday next to it is that of the date; null if there is none. */
  readonly hasOwnWeekday: boolean | null;
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const SPANISH_MONTHS = [
  'enero',
  'febrero',
  'marzo',
  'abril',
  'mayo',
  'junio',
  'julio',
  'agosto',
  'septiembre',
  'octubre',
  'noviembre',
  'diciembre',
];
const MONTH = anyOf(
  ...MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)}|${name === 'september' ? 't' : ''})?\\.?`),
);
const WEEKDAY_NAME = anyOf(...WEEKDAYS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?\\.?`));
const WEEKDAY = String.raw`\b(?:(?<weekday>${WEEKDAY_NAME})(?:,|\s-)?\s+)?`;
const YEAR = String.raw`(?:A\.?D\.?,?\s)?(?<year>(?:19|20)\d{2})\b`;
const DAY = String.raw`(?<day>\d{1,2})\s?(?:st|nd|rd|th)?`;
const NAMED_MONTH = `(?<month>${MONTH})`;
const FORMS = [
  // "Tuesday, March 4th, 2025"
  [WEEKDAY, NAMED_MONTH, String.raw`\s{0,3}`, DAY, String.raw`(?:\s?[,.]\s{0,3}|\s{1,3})`, YEAR],
  // "the 4th day of March, 2025", "4 March 2025"
  [
    WEEKDAY,
    String.raw`(?:the\s)?`,
    DAY,
    String.raw`[\s-](?:day\sof\s)?`,
    NAMED_MONTH,
    String.raw`(?:\s?,\s?|\s|-)`,
    YEAR,
  ],
  // "10 de marzo de 2026"
  [String.raw`\b(?<day>\d{1,2})\sde\s(?<month>${anyOf(...SPANISH_MONTHS)})(?:\sdel?|,)?\s`, YEAR],
  // "3/4/2025", "03-04-25"
  [WEEKDAY, String.raw`(?<number>\d{1,2})(?<mark>[/.-])(?<day>\d{1,2})\k<mark>(?<year>(?:20)?\d{2})\b`],
  // "2025-03-04"
  [String.raw`\b(?<year>20\d{2})-(?<number>\d{2})-(?<day>\d{2})\b`],
].map((parts) => pattern('gi', ...parts));

type Groups = Readonly<Record<string, string | undefined>>;

function dateOf({ year, month, number, day }: Groups): string | null {
  const fullYear = year!.length === 2 ? `20${year}` : year!;
  const small = month?.toLowerCase() ?? '-';
  const spanish = SPANISH_MONTHS.indexOf(small);
  const named = spanish === -1 ? MONTHS.findIndex((name) => name.startsWith(small.slice(0, 3))) : spanish;
  const text = [fullYear, String(month === undefined ? Number(number) : named + 1), day!]
    .map((part) => part.padStart(2, '0'))
    .join('-');
  const time = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text ? null : text;
}

function isOwnWeekday(date: string, weekday: string | undefined): boolean | null {
  if (weekday === undefined) return null;
  return WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()]!.startsWith(weekday.slice(0, 3).toLowerCase());
}

/** Returns the dates with a year that a line states, in its order. */
export function readDays(text: string): readonly StatedDay[] {
  const days: StatedDay[] = [];
  for (const form of FORMS) {
    for (const { index, 0: found, groups = {} } of text.matchAll(form)) {
      const date = dateOf(groups);
      const end = index + found.length;
      if (date !== null && !days.some((day) => index < day.end && end > day.index))
        days.push({ date, index, end, hasOwnWeekday: isOwnWeekday(date, groups['weekday']) });
    }
  }
  return days.toSorted((left, right) => left.index - right.index);
}

const HOUR = String.raw`(?:[01]\d|2[0-3])`;
const MINUTE = String.raw`(?:\s?[:.]\s?(?<minute>\d{2})(?::\d{2})?)?`;
const TIMES = [
  // "7 p.m.", "7:30 PM", "7.30 p. m.", "6:00:00 PM", "9:00 o'clock a.m."
  String.raw`\b(?<hour>\d{1,2})${MINUTE}(?:\s?o['’]clock)?\s?(?<half>[ap])\.?\s?m\b\.?`,
  // "noon", "12:00 noon"
  String.raw`\b(?:12(?::00)?\s)?(?<noon>noon)\b`,
  // "18:30", "18:30 hours"
  String.raw`\b(?<hours>\d|${HOUR}):(?<minutes>[0-5]\d)\b(?:\s?(?:hours|hrs))?`,
  // "1830 hours"
  String.raw`\b(?<military>${HOUR})(?<past>[0-5]\d)\s(?:hours|hrs)\b`,
];
const TIME = new RegExp(anyOf(...TIMES), 'gi');

export interface StatedTime {
  /** `HH:MM`. */
  readonly time: string;
  readonly index: number;
}

/** Hours of a morning or an afternoon in hours of the day. */
function hourOfDay(hour: number, half: string): number {
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

function timeOf({ noon, military, past, half, hour, minute, hours, minutes }: Groups): string | null {
  if (noon !== undefined) return '12:00';
  if (military !== undefined) return `${military}:${past}`;
  if (half === undefined) return Number(hours) >= 13 ? `${hours!.padStart(2, '0')}:${minutes}` : null;
  const [ownHour, ownMinute] = [Number(hour), Number(minute ?? 0)];
  if (ownHour < 1 || ownHour > 12 || ownMinute > 59) return null;
  return `${String(hourOfDay(ownHour, half)).padStart(2, '0')}:${String(ownMinute).padStart(2, '0')}`;
}

/** Returns the times of a line, in its order. A time without a half of the day counts from 13:00 on. */
export function readTimes(text: string): readonly StatedTime[] {
  return [...text.matchAll(TIME)].flatMap((match) => {
    const time = timeOf(match.groups ?? {});
    return time === null ? [] : [{ time, index: match.index }];
  });
}
