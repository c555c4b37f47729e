import { MONTHS } from '../months.ts';
import { anyOf } from '../text/patterns.ts';

/** A date that a text states. */
export interface StatedDay {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Position in the text. */
  readonly index: number;
  readonly end: number;
  /** True if the weekday beside it is that of the date; null if there is none. */
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
const WEEKDAY = `(?:(?<weekday>${anyOf(...WEEKDAYS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?\\.?`))})(?:,|\\s-)?\\s+)?`;
const YEAR = String.raw`(?<year>(?:19|20)\d{2})`;
const ORDINAL = '(?:st|nd|rd|th)?';
const FORMS = [
  // "Tuesday, March 4th, 2025"
  String.raw`\b${WEEKDAY}(?<month>${MONTH})\s{0,3}(?<day>\d{1,2})\s?${ORDINAL}(?:\s?[,.]\s{0,3}|\s{1,3})(?:A\.?D\.?,?\s)?${YEAR}\b`,
  // "the 4th day of March, 2025", "4 March 2025"
  String.raw`\b${WEEKDAY}(?:the\s)?(?<day>\d{1,2})\s?${ORDINAL}[\s-](?:day\sof\s)?(?<month>${MONTH})(?:\s?,\s?|\s|-)(?:A\.?D\.?,?\s)?${YEAR}\b`,
  // "10 de marzo de 2026"
  String.raw`\b(?<day>\d{1,2})\sde\s(?<month>${anyOf(...SPANISH_MONTHS)})(?:\sdel?|,)?\s${YEAR}\b`,
  // "3/4/2025", "03-04-25"
  String.raw`\b${WEEKDAY}(?<number>\d{1,2})(?<mark>[/.-])(?<day>\d{1,2})\k<mark>(?<year>(?:20)?\d{2})\b`,
  // "2025-03-04"
  String.raw`\b(?<year>20\d{2})-(?<number>\d{2})-(?<day>\d{2})\b`,
].map((form) => new RegExp(form, 'gi'));

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

const TIME =
  /\b(\d{1,2})(?:\s?[:.]\s?(\d{2})(?::\d{2})?)?(?:\s?o['’]clock)?\s?([ap])\.?\s?m\b\.?|\b(?:12(?::00)?\s)?(noon)\b|\b([01]?\d|2[0-3]):([0-5]\d)\b(?:\s?(?:hours|hrs))?|\b([01]\d|2[0-3])([0-5]\d)\s(?:hours|hrs)\b/gi;

export interface StatedTime {
  /** `HH:MM`. */
  readonly time: string;
  readonly index: number;
}

function timeOf([, hour, minute, half, noon, hours, minutes, military, minuteOfHour]: RegExpExecArray): string | null {
  if (noon !== undefined) return '12:00';
  if (military !== undefined) return `${military}:${minuteOfHour}`;
  if (half === undefined) return Number(hours) >= 13 ? `${hours!.padStart(2, '0')}:${minutes}` : null;
  const [number, past] = [Number(hour), Number(minute ?? 0)];
  if (number < 1 || number > 12 || past > 59) return null;
  const inDay = (number % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return `${String(inDay).padStart(2, '0')}:${String(past).padStart(2, '0')}`;
}

/** Returns the times of a line, in its order. A time without a half of the day counts from 13:00 on. */
export function readTimes(text: string): readonly StatedTime[] {
  return [...text.matchAll(TIME)].flatMap((match) => {
    const time = timeOf(match);
    return time === null ? [] : [{ time, index: match.index }];
  });
}
