import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];

/** The names of the months as a pattern's alternatives. */
const MONTH_NAMES = MONTHS.join('|');

/** A day of the calendar as `YYYY-MM-DD`, or null where there is no such day. */
function calendarDay(year: string, monthName: string, day: string): string | null {
  const time = new Date(Date.UTC(Number(year), MONTHS.indexOf(monthName.toLowerCase()), Number(day)));
  const text = time.toISOString().slice(0, 10);
  return text.startsWith(year) && time.getUTCDate() === Number(day) ? text : null;
}

export interface NextStep {
  readonly bodyName: string | null;
  /** A local day `YYYY-MM-DD` after the meeting's own. */
  readonly date: string | null;
}

const DATE = String.raw`(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?(?<month>${MONTH_NAMES}) (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})`;
/** Words that announce a later meeting on the item itself. */
const ANNOUNCED = new RegExp(
  String.raw`\b(?:(?:hearing|meeting|session|item|case|reading)(?: [^.;:]{0,80}?)? to be (?:held|heard|considered)|(?:continue|continued|defer|deferred|postpone|postponed|held under advisement|table|tabled|carried over|moved)(?: (?:this|the) (?:item|case|hearing|request))?(?: (?:to|until))(?: the)?|scheduled for (?:consideration|(?:a )?(?:public hearing|second reading|final reading|action))|(?:hearing|meeting|item|case|reading) (?:will|shall) be (?:held|heard|considered|taken up)|second reading|final reading|next (?:meeting|hearing))(?: (?:by|before) the (?:[A-Z][\w&-]* ?){1,5})?(?:,? on| for|,? at the)?:? ${DATE}`,
  'giu',
);
const BODY =
  /\b(?:to be (?:held|heard|considered)|scheduled for (?:consideration|(?:a )?(?:public hearing|action))|(?:will|shall) be (?:held|heard|considered)|(?:referred|forwarded|refer|forward|recommendation|goes|proceed) to)(?: [a-z]+)?(?: (?:by|before|to))? ?the (?<name>(?:[A-Z][\p{L}&'’-]*(?: and | of | & | )?){0,5}(?:Council|Commission|Court|Board|Committee))\b/gu;

/**
 * The next meeting on an item and the body that holds it, where the texts state them; a date that does not lie after the meeting's own local
 * day is history, not a next step.
 */
export function nextStep({ meeting }: ClassificationSubject, texts: readonly string[]): NextStep {
  const dates = texts.flatMap((text) =>
    [...text.matchAll(ANNOUNCED)].map((match) => calendarDay(match.groups?.year ?? '', match.groups?.month ?? '', match.groups?.day ?? '')),
  );
  const bodies = texts.flatMap((text) => [...text.matchAll(BODY)].map((match) => (match.groups?.name ?? '').trim()));
  if (dates.length === 0 && bodies.length === 0) return { bodyName: null, date: null };
  const meetingDay = dateOfDay(localDay(Date.parse(meeting.startsAt), meeting.timezone));
  const later = dates.filter((date): date is string => date !== null && date > meetingDay).toSorted();
  return { bodyName: bodies[0] ?? null, date: later[0] ?? null };
}
