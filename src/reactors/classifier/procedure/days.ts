const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];

/** The names of the months as a pattern's alternatives. */
export const MONTH_NAMES = MONTHS.join('|');

/** A day of the calendar as `YYYY-MM-DD`, or null where there is no such day. */
export const calendarDay = (year: string, monthName: string, day: string): string | null => {
  const time = new Date(Date.UTC(Number(year), MONTHS.indexOf(monthName.toLowerCase()), Number(day)));
  const text = time.toISOString().slice(0, 10);
  return text.startsWith(year) && time.getUTCDate() === Number(day) ? text : null;
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local day of an instant in an IANA time zone, as `YYYY-MM-DD`. */
export const localDay = (instant: string, timeZone: string): string => {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formats.set(timeZone, format);
  return format.format(new Date(instant));
};
