import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import { clipped, type Html, html } from './html.ts';

const MAX_WORDS = 120;

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(timeZone: string, style: 'long' | 'short'): Intl.DateTimeFormat {
  const key = `${style} ${timeZone}`;
  let format = formats.get(key);
  if (format === undefined) {
    const parts = {
      year: 'numeric',
      month: style,
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
    } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone, ...parts, ...(style === 'long' ? { weekday: 'long' } : {}) });
    if (formats.size < 200) formats.set(key, format);
  }
  return format;
}

/** Formats an instant in the time zone of the meeting, such as "Wednesday, March 4, 2026 at 1:00 PM CST". */
const timeInWords = (instant: string, timeZone: string): string => formatOf(timeZone, 'long').format(new Date(instant));

const timeElement = (instant: string, timeZone: string): Html =>
  html`<time datetime="${instant}">${timeInWords(instant, timeZone)}</time>`;

/** Formats the day of a meeting in its time zone, such as "Wednesday, March 4, 2026". */
export const meetingDay = ({ startsAt, timezone }: Pick<RecordData<'meetings'>, 'startsAt' | 'timezone'>): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: timezone, dateStyle: 'full' }).format(new Date(startsAt));

/** Quotes the words of the source in place of a time: `: “after the briefing”`. Empty if there are none. */
export const quotedTime = (sourceText: string | null): string =>
  sourceText === null ? '' : `: “${clipped(sourceText, MAX_WORDS)}”`;

/** Renders the start of a meeting, or its day with the words of the source if it has no time. */
export function meetingTime({
  startsAt,
  startTime,
  timezone,
}: Pick<RecordData<'meetings'>, 'startsAt' | 'startTime' | 'timezone'>): Html {
  if (startTime?.status !== 'not_stated') return timeElement(startsAt, timezone);
  const day = dateOfDay(localDay(Date.parse(startsAt), timezone));
  return html`<time datetime="${day}">${meetingDay({ startsAt, timezone })}</time> (time not stated${quotedTime(startTime.sourceText)})`;
}

/** Renders a time of the service, such as that of a check of a source. */
export const utcTime = (instant: string): Html =>
  html`<time datetime="${instant}">${formatOf('UTC', 'short').format(new Date(instant))}</time>`;
